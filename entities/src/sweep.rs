//! The update of a sweep: it closes due rows in batches.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Query;
use sea_orm::{Condition, Order, UpdateMany};

/// The rows that a sweep closes.
pub(crate) struct Due<E: EntityTrait> {
    pub(crate) rows: Condition,
    pub(crate) id: E::Column,
    /// The column by which a row becomes due; the lowest value comes first.
    pub(crate) since: E::Column,
}

/// Applies `change` to up to `limit` due rows and returns them.
///
/// Safe beside another sweep: rows that it closed are no longer due.
pub(crate) async fn close<E, C>(
    conn: &C,
    change: UpdateMany<E>,
    due: Due<E>,
    limit: u64,
) -> Result<Vec<E::Model>, DbErr>
where
    E: EntityTrait,
    C: ConnectionTrait,
{
    let some = Query::select()
        .column(due.id)
        .from(E::default())
        .cond_where(due.rows.clone())
        .order_by(due.since, Order::Asc)
        .limit(limit)
        .to_owned();
    change.filter(due.id.in_subquery(some)).filter(due.rows).exec_with_returning(conn).await
}
