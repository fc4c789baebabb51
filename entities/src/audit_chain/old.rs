//! Retention of the audit log: chains are shortened at their beginning.

use std::collections::BTreeSet;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect};

use super::Chain;
use crate::audit_entry::{Column, Entity, MEMBER_SYNCED};
use crate::hidden::not_hidden;
use crate::{AuditId, Conn, GuildId, Result, Timestamp};

/// Deletes the oldest entries that were written before this time, at most `limit`: of this chain, or of both. An entry
/// whose clock was ahead keeps those after it for as long. `conn` is a transaction.
pub async fn delete(conn: &impl Conn, chain: Option<Chain>, before: Timestamp, limit: u64) -> Result<u64> {
    let mut deleted = 0;
    for (guild, chain) in chains(conn, chain, before, limit).await? {
        if deleted < limit {
            deleted += shorten(conn, (guild, chain), before, limit - deleted).await?;
        }
    }
    Ok(deleted)
}

/// The chains of the oldest entries, in the order in which they are locked.
async fn chains(
    conn: &impl Conn,
    chain: Option<Chain>,
    before: Timestamp,
    limit: u64,
) -> Result<BTreeSet<(GuildId, Chain)>> {
    let old = Entity::find()
        .select_only()
        .columns([Column::GuildId, Column::Action])
        .filter(Column::CreatedAt.lt(before))
        .filter(not_hidden(Column::GuildId))
        .filter(Condition::all().add_option(chain.map(of)))
        .order_by_asc(Column::CreatedAt)
        .limit(limit);
    let old: Vec<(GuildId, String)> = old.into_tuple().all(conn).await?;
    Ok(old.into_iter().map(|(guild, action)| (guild, Chain::of(&action))).collect())
}

/// The columns that retention needs.
#[derive(FromQueryResult)]
struct Entry {
    audit_id: AuditId,
    position: Option<i64>,
    hash: Option<Vec<u8>>,
    created_at: Timestamp,
}

async fn shorten(
    conn: &impl Conn,
    (guild, chain): (GuildId, Chain),
    before: Timestamp,
    limit: u64,
) -> Result<u64> {
    let rows = || Entity::find().filter(Column::GuildId.eq(guild)).filter(of(chain));
    let first: Vec<Entry> = rows()
        .select_only()
        .columns([Column::AuditId, Column::Position, Column::Hash, Column::CreatedAt])
        .order_by_asc(Column::AuditId)
        .limit(limit)
        .into_model()
        .all(conn)
        .await?;
    let Some(last) = first.into_iter().take_while(|entry| entry.created_at < before).last() else {
        return Ok(0);
    };
    if let (Some(position), Some(hash)) = (last.position, last.hash) {
        begins_after(conn, (guild, chain), position, hash).await?;
    }
    let over = Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(of(chain))
        .filter(Column::AuditId.lte(last.audit_id));
    Ok(over.exec(conn).await?.rows_affected)
}

/// Before the rows: the database refuses to delete others.
async fn begins_after(
    conn: &impl Conn,
    (guild, chain): (GuildId, Chain),
    position: i64,
    hash: Vec<u8>,
) -> Result<()> {
    use super::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::FirstPosition, Expr::value(position + 1))
        .col_expr(Column::HashBeforeFirst, Expr::value(hash))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Chain.eq(chain))
        .exec(conn)
        .await?;
    Ok(())
}

/// A literal, so that the partial index of these entries is used.
pub(super) fn of(chain: Chain) -> Expr {
    match chain {
        Chain::MemberSyncs => Expr::cust(format!("action = '{MEMBER_SYNCED}'")),
        Chain::Log => Expr::cust(format!("action <> '{MEMBER_SYNCED}'")),
    }
}
