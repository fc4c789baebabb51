//! Changing what is due, some rows at a time: what every sweep does.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Query;
use sea_orm::{Condition, Order, UpdateMany};

/// Applies `change` to up to `limit` rows for which `due` holds, lowest `first` first, and returns them.
///
/// Safe beside another sweep: that one's rows are not due any more when this one comes to them.
pub(crate) async fn change<E, C>(
    conn: &C,
    change: UpdateMany<E>,
    due: Condition,
    (key, first): (E::Column, E::Column),
    limit: u64,
) -> Result<Vec<E::Model>, DbErr>
where
    E: EntityTrait,
    C: ConnectionTrait,
{
    let some = Query::select()
        .column(key)
        .from(E::default())
        .cond_where(due.clone())
        .order_by(first, Order::Asc)
        .limit(limit)
        .to_owned();
    change.filter(key.in_subquery(some)).filter(due).exec_with_returning(conn).await
}
