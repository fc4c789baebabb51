//! Reads the log: all entries but those about members whom a sync changed.

use sea_orm::entity::prelude::*;
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

fn of(guild: GuildId) -> Select<Entity> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(old::of(Chain::Log))
}
