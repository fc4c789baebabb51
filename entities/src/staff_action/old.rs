//! Deletes old actions without changing a total: of the old actions of one kind by one member the last one stays, whose
//! number counts all before it, until a later one is old too.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::{ActionType, Column, Entity};
use crate::hidden::not_hidden;
use crate::{ActionId, ChatId, Conn, GuildId, Result, Timestamp, lists, pending_action, sweep};

/// Works on up to `limit` actions from before `before`, the oldest first, and returns their number. Needs a transaction.
pub async fn fold(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    Ok(counted(conn, before, limit).await? + uncounted(conn, before, limit).await?)
}

async fn counted(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    type Row = (ActionId, GuildId, ChatId, ActionType, i64);
    let old: Vec<Row> = Entity::find()
        .select_only()
        .columns([Column::ActionId, Column::GuildId, Column::StaffId, Column::ActionType, Column::Nth])
        .filter(Column::CountedAt.lt(before))
        .filter(not_hidden(Column::GuildId))
        // Written like the index's own condition, or the index is not used.
        .filter(Column::Nth.is_not_null())
        .filter(Expr::cust("NOT summed"))
        .order_by_asc(Column::CountedAt)
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await?;
    if old.is_empty() {
        return Ok(0);
    }
    let mut last = BTreeMap::new();
    for (id, guild, staff, kind, nth) in &old {
        let top = last.entry((*guild, *staff, *kind)).or_insert((*nth, *id));
        *top = std::cmp::max(*top, (*nth, *id));
    }
    let ids = last.values().map(|(_, id)| *id);
    Entity::update_many()
        .col_expr("summed", Expr::cust("true"))
        .filter(lists::any_of(conn, Column::ActionId, ids))
        .exec(conn)
        .await?;
    let sequences = last
        .into_iter()
        .map(|((guild, staff, kind), (nth, _))| [guild.into(), staff.into(), kind.name().into(), nth.into()]);
    let given = |n: usize| Expr::col(("given", format!("column{n}")));
    let own = |column| Expr::col((Entity, column));
    let before_last = Query::select()
        .column((Entity, Column::ActionId))
        .from_subquery(lists::table(conn, sequences.collect()), "given")
        .inner_join(
            Entity,
            Condition::all()
                .add(own(Column::GuildId).eq(given(1)))
                .add(own(Column::StaffId).eq(given(2)))
                .add(own(Column::ActionType).eq(given(3)))
                .add(own(Column::Nth).is_not_null())
                .add(own(Column::Nth).lt(given(4))),
        )
        .take();
    Entity::delete_many().filter(Column::ActionId.in_subquery(before_last)).exec(conn).await?;
    Ok(old.len() as u64)
}

/// Deletes rejected ones; one that waits for its decision stays.
async fn uncounted(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    let waits = Query::select()
        .expr(Expr::cust("1"))
        .from(pending_action::Entity)
        .and_where(
            Expr::col((pending_action::Entity, pending_action::Column::ActionId))
                .eq(Expr::col((Entity, Column::ActionId))),
        )
        .and_where(pending_action::Column::State.eq(pending_action::State::Pending))
        .take();
    let rejected = Condition::all()
        .add(Column::CreatedAt.lt(before))
        .add(Column::Nth.is_null())
        .add(Expr::exists(waits).not());
    sweep::delete::<Entity>(conn, rejected, Column::CreatedAt, limit).await
}
