//! The audit log: every write leaves an entry in the same transaction (docs/rules.md 8).

use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use crate::{AuditId, GuildId, KeyId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub audit_id: AuditId,
    pub guild_id: GuildId,
    /// `<area>.<verb>`.
    pub action: String,
    pub source: Source,
    /// A chat user, or 0 where the service itself acted.
    pub actor_id: i64,
    pub target_id: String,
    pub metadata: Json,
    pub key_id: Option<KeyId>,
    pub request_id: Option<String>,
    pub created_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Whose word an entry is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumIter, DeriveActiveEnum, IntoStaticStr, VariantArray,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    /// The service wrote down what it did itself.
    Service,
    /// A client appended it: nothing in it is checked.
    Custom,
}

impl Source {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Who did something, by which key and request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    pub actor_id: i64,
    pub key_id: Option<KeyId>,
    pub request_id: Option<String>,
}

impl Actor {
    /// The service itself: sweeps, schedules, the command line.
    pub fn service() -> Self {
        Self { actor_id: 0, key_id: None, request_id: None }
    }
}

/// An entry to be written.
#[derive(Debug, Clone)]
pub struct NewEntry {
    pub guild: GuildId,
    pub action: &'static str,
    pub target: String,
    pub metadata: Json,
}

pub async fn write<C: ConnectionTrait>(
    conn: &C,
    actor: &Actor,
    entry: NewEntry,
    now: Timestamp,
) -> Result<AuditId, DbErr> {
    let entry = (entry.guild, entry.action.to_owned(), entry.target, entry.metadata);
    insert(conn, actor, entry, (Source::Service, now)).await
}

/// Like [`write`], for an action whose name a client made up: it stays apart from what the service writes.
pub async fn write_custom<C: ConnectionTrait>(
    conn: &C,
    actor: &Actor,
    entry: (GuildId, String, String, Json),
    now: Timestamp,
) -> Result<AuditId, DbErr> {
    insert(conn, actor, entry, (Source::Custom, now)).await
}

async fn insert<C: ConnectionTrait>(
    conn: &C,
    actor: &Actor,
    (guild, action, target, metadata): (GuildId, String, String, Json),
    (source, now): (Source, Timestamp),
) -> Result<AuditId, DbErr> {
    let row = ActiveModel {
        audit_id: NotSet,
        guild_id: Set(guild),
        action: Set(action),
        source: Set(source),
        actor_id: Set(actor.actor_id),
        target_id: Set(target),
        metadata: Set(metadata),
        key_id: Set(actor.key_id),
        request_id: Set(actor.request_id.clone()),
        created_at: Set(now),
    };
    Ok(row.insert(conn).await?.audit_id)
}

/// Which entries a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    pub action: Option<&'a str>,
    pub source: Option<Source>,
}

impl<'a> From<Option<&'a str>> for Filter<'a> {
    fn from(action: Option<&'a str>) -> Self {
        Self { action, source: None }
    }
}

/// Entries of a guild, newest first, older than the cursor. Ask for one more than a page to see whether more follow.
pub async fn list<'a, C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: impl Into<Filter<'a>>,
    (cursor, limit): (Option<AuditId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let filter = filter.into();
    let mut query =
        Entity::find().filter(Column::GuildId.eq(guild)).order_by_desc(Column::AuditId).limit(limit);
    if let Some(action) = filter.action {
        query = query.filter(Column::Action.eq(action));
    }
    if let Some(source) = filter.source {
        query = query.filter(Column::Source.eq(source));
    }
    if let Some(cursor) = cursor {
        query = query.filter(Column::AuditId.lt(cursor));
    }
    query.all(conn).await
}
