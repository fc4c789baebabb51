//! Guilds with figures of each, for operators of the whole instance.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use crate::link_search::containing_text;
use crate::sanction::list;
use crate::{
    Conn, GuildId, Page, Places, Result, SanctionKind, Timestamp, api_key, audit_entry, guild, job_pause,
    link,
};

/// Guilds whose name contains the text, or whose id it is; all for an empty text. Newest ids first.
pub async fn search(conn: &impl Conn, text: &str, page: Page<GuildId>) -> Result<Vec<guild::Model>> {
    let by_id = text.parse::<GuildId>().ok().map(|id| guild::Column::GuildId.eq(id));
    let which =
        if text.is_empty() { Condition::all() } else { Condition::any().add(named(text)).add_option(by_id) };
    page.of(guild::Entity::find().filter(which), guild::Column::GuildId).all(conn).await
}

/// Upper and lower case are the same; SQLite knows those of ASCII only, and finds other letters as they are typed.
fn named(text: &str) -> Condition {
    let name = guild::Column::Name.into_expr();
    let lowered = Expr::from(Func::lower(name.clone())).like(containing_text(&text.to_lowercase()));
    Condition::any().add(lowered).add(name.like(containing_text(text)))
}

pub async fn count(conn: &impl Conn) -> Result<u64> {
    guild::Entity::find().count(conn).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Linked members.
    pub members: u64,
    /// Bans in force.
    pub bans: u64,
    /// Keys that are accepted.
    pub keys: u64,
    /// Its jobs are paused.
    pub paused: bool,
    /// The newest audit entry, or the last use of a key.
    pub last_activity: Option<Timestamp>,
}

pub async fn of(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Figures> {
    let bans = list::List { guild, kind: SanctionKind::Ban, places: Places::All };
    let keys = api_key::list(conn, Some(guild)).await?;
    let is_live =
        |key: &&api_key::Model| key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now);
    let used = keys.iter().filter_map(|key| key.last_used_at).max();
    let pauses = job_pause::Entity::find().filter(job_pause::Column::GuildId.eq(guild));
    Ok(Figures {
        members: link::count(conn, guild).await?,
        bans: list::count(conn, bans, now).await?,
        keys: keys.iter().filter(is_live).count() as u64,
        paused: pauses.count(conn).await? > 0,
        last_activity: std::cmp::max(used, audited_at(conn, guild).await?),
    })
}

async fn audited_at(conn: &impl Conn, guild: GuildId) -> Result<Option<Timestamp>> {
    use audit_entry::{Column, Entity};
    let newest = Entity::find()
        .select_only()
        .column(Column::CreatedAt)
        .filter(Column::GuildId.eq(guild))
        .order_by_desc(Column::AuditId)
        .limit(1);
    newest.into_tuple().one(conn).await
}
