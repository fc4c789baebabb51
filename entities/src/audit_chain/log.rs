//! Reads the log: all entries but those about members whom a sync changed.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{QueryOrder, QuerySelect};

use super::{Chain, old};
use crate::audit_entry::{Column, Entity, Model};
use crate::{Conn, GuildId, Result};

/// The last entry; `None`: there is none.
pub async fn newest(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    of(guild).order_by_desc(Column::AuditId).one(conn).await
}

/// The entries after the one with this id (0: all), oldest first. Whoever writes one holds the end of the chain until its
/// commit, so none with a smaller id appears later.
pub async fn after(conn: &impl Conn, guild: GuildId, after: i64, limit: u64) -> Result<Vec<Model>> {
    of(guild).filter(Column::AuditId.gt(after)).order_by_asc(Column::AuditId).limit(limit).all(conn).await
}

/// The position and the id of the last entry; zeros: there is none. Both are of one row: an entry that commits meanwhile
/// comes after it.
pub(crate) async fn end(conn: &impl Conn, guild: GuildId) -> Result<(i64, i64)> {
    let last = newest(conn, guild).await?;
    Ok(last.and_then(|row| Some((row.position?, row.audit_id.get()))).unwrap_or_default())
}

/// Whether the log of a row's guild goes on after the row's `position`.
pub(crate) fn has_grown(table: &str) -> SimpleExpr {
    Expr::cust(format!(
        "EXISTS (SELECT 1 FROM audit_chain WHERE audit_chain.guild_id = {table}.guild_id \
         AND audit_chain.chain = 'log' AND audit_chain.last_position > {table}.position)"
    ))
}

fn of(guild: GuildId) -> Select<Entity> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(old::of(Chain::Log))
}
