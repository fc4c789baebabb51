//! The audit log: every write leaves an entry in the same transaction (docs/rules.md 8).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, LikeExpr, SimpleExpr};
use sea_orm::{Condition, QueryOrder, QuerySelect, QueryTrait};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{AuditId, Conn, GuildId, KeyId, Page, Result, Timestamp, audit_action, lists};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub audit_id: AuditId,
    pub guild_id: GuildId,
    /// `<area>.<verb>`.
    pub action: String,
    pub source: Source,
    /// A chat user, a moderator's game id without a link, or 0 where the service itself acted.
    pub actor_id: i64,
    pub target_id: String,
    pub metadata: Json,
    pub key_id: Option<KeyId>,
    pub request_id: Option<String>,
    pub created_at: Timestamp,
    /// In its chain ([`audit_chain`]); `None`: an older version wrote the entry.
    pub position: Option<i64>,
    /// `None` beside a digest: the entry is about a person who was erased.
    pub salt: Option<Vec<u8>>,
    pub digest: Option<Vec<u8>>,
    pub hash: Option<Vec<u8>>,
}

/// The action of entries about members whom a sync changed.
pub const MEMBER_SYNCED: &str = "sync.member";

no_relations!();

by_id!(AuditId: find, newest);

/// The author of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = AuditSource)]
pub enum Source {
    /// The service recorded its own change.
    Service,
    /// A client appended it: its content is not checked.
    Custom,
}

/// The actor of a change, with its key and request.
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

/// An entry to insert.
#[derive(Debug, Clone)]
pub struct NewEntry {
    pub guild: GuildId,
    /// One of [`audit_action::ALL`].
    pub action: &'static str,
    pub target: String,
    pub metadata: Json,
}

/// What an entry says; its id and its place in a chain are given when it is written.
#[derive(Debug, Clone)]
pub struct Content {
    pub guild: GuildId,
    pub action: String,
    pub source: Source,
    pub actor: Actor,
    pub target: String,
    pub metadata: Json,
    pub created_at: Timestamp,
}

impl Content {
    pub(crate) fn of(actor: Actor, entry: NewEntry, created_at: Timestamp) -> Self {
        let NewEntry { guild, action, target, metadata } = entry;
        debug_assert!(audit_action::is_known(action), "{action}");
        Self {
            guild,
            action: action.to_owned(),
            source: Source::Service,
            actor,
            target,
            metadata,
            created_at,
        }
    }
}

impl From<Model> for Content {
    fn from(row: Model) -> Self {
        let actor = Actor { actor_id: row.actor_id, key_id: row.key_id, request_id: row.request_id };
        Self {
            guild: row.guild_id,
            action: row.action,
            source: row.source,
            actor,
            target: row.target_id,
            metadata: row.metadata,
            created_at: row.created_at,
        }
    }
}

/// Filter of a list of entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// An action, or the area of all that begin with it and a dot.
    pub action: Option<&'a str>,
    pub source: Option<Source>,
    /// A chat user, or 0 for the service itself.
    pub actor: Option<i64>,
    pub target: Option<&'a str>,
    /// Another account of the same person: entries about either are listed.
    pub or_target: Option<&'a str>,
    /// Written at this time or later.
    pub from: Option<Timestamp>,
    /// Written before this time.
    pub until: Option<Timestamp>,
}

impl<'a> From<Option<&'a str>> for Filter<'a> {
    fn from(action: Option<&'a str>) -> Self {
        Self { action, ..Self::default() }
    }
}

/// Entries of a guild, newest first. Request one more than a page to see whether more follow.
pub async fn list<'a>(
    conn: &impl Conn,
    guild: GuildId,
    filter: impl Into<Filter<'a>>,
    page: Page<AuditId>,
) -> Result<Vec<Model>> {
    newest(guild, page).filter(shown(&filter.into())).all(conn).await
}

/// Where a list of so many entries after `cursor` ends, if more follow: the id of its last one.
pub async fn end_of_list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter<'_>,
    cursor: Option<AuditId>,
    rows: u64,
) -> Result<Option<AuditId>> {
    let last_two =
        newest(guild, Page { cursor, limit: 2 }).filter(shown(&filter)).offset(rows.saturating_sub(1));
    let ids: Vec<AuditId> = last_two.select_only().column(Column::AuditId).into_tuple().all(conn).await?;
    Ok(ids.first().copied().filter(|_| ids.len() > 1))
}

fn shown(filter: &Filter<'_>) -> Condition {
    Condition::all()
        .add_option(filter.action.map(of_action))
        .add_option(filter.source.map(|source| Column::Source.eq(source)))
        .add_option(filter.actor.map(|actor| Column::ActorId.eq(actor)))
        .add_option(filter.target.map(|target| {
            let targets = [Some(target), filter.or_target].into_iter().flatten();
            Column::TargetId.is_in(targets)
        }))
        .add_option(filter.from.map(|from| Column::CreatedAt.gte(from)))
        .add_option(filter.until.map(|until| Column::CreatedAt.lt(until)))
}

/// Each action has a dot.
fn of_action(action: &str) -> SimpleExpr {
    if action.contains('.') {
        return Column::Action.eq(action);
    }
    // `_` would stand for any character.
    Column::Action.like(LikeExpr::new(format!("{}.%", action.replace('_', "\\_"))).escape('\\'))
}

/// The newest entries of each guild after the one with this id (0: all), at most `limit` of each.
pub async fn newest_after(conn: &impl Conn, after: &[(GuildId, i64)], limit: u64) -> Result<Vec<Model>> {
    let keys = after.iter().map(|(guild, id)| [Value::from(*guild), Value::from(*id)]).collect();
    let of_guild = |[guild, id]: [SimpleExpr; 2]| {
        let own = Entity::find().filter(Column::GuildId.into_expr().eq(guild));
        let later = own.filter(Column::AuditId.into_expr().gt(id));
        later.order_by_desc(Column::AuditId).limit(limit).into_query()
    };
    lists::of_each(conn, keys, of_guild).await
}
