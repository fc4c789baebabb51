//! The audit log: every write leaves an entry in the same transaction (decisions 8).

use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect};

use crate::{AuditId, GuildId, KeyId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub audit_id: AuditId,
    pub guild_id: GuildId,
    /// `<area>.<verb>`.
    pub action: String,
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
    write_custom(conn, actor, (entry.guild, entry.action.to_owned(), entry.target, entry.metadata), now).await
}

/// Like [`write`], for an action whose name a client made up.
pub async fn write_custom<C: ConnectionTrait>(
    conn: &C,
    actor: &Actor,
    (guild, action, target, metadata): (GuildId, String, String, Json),
    now: Timestamp,
) -> Result<AuditId, DbErr> {
    let row = ActiveModel {
        audit_id: NotSet,
        guild_id: Set(guild),
        action: Set(action),
        actor_id: Set(actor.actor_id),
        target_id: Set(target),
        metadata: Set(metadata),
        key_id: Set(actor.key_id),
        request_id: Set(actor.request_id.clone()),
        created_at: Set(now),
    };
    Ok(row.insert(conn).await?.audit_id)
}

/// Entries of a guild, newest first, older than the cursor. Ask for one more than a page to see whether more follow.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    action: Option<&str>,
    (cursor, limit): (Option<AuditId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let mut query =
        Entity::find().filter(Column::GuildId.eq(guild)).order_by_desc(Column::AuditId).limit(limit);
    if let Some(action) = action {
        query = query.filter(Column::Action.eq(action));
    }
    if let Some(cursor) = cursor {
        query = query.filter(Column::AuditId.lt(cursor));
    }
    query.all(conn).await
}
