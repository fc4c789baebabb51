//! The update of a sweep: it closes due rows in batches.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, LockBehavior, LockType, Query, SelectStatement, SimpleExpr};
use sea_orm::{Condition, DatabaseBackend, Iterable, Order, PrimaryKeyToColumn, UpdateMany};

use crate::hidden::not_hidden;
use crate::{Conn, Result};

/// The rows that a sweep closes.
pub(crate) struct Due<E: EntityTrait> {
    pub(crate) rows: Condition,
    pub(crate) id: E::Column,
    /// The column by which a row becomes due; the lowest value comes first.
    pub(crate) since: E::Column,
}

/// Of these rows those that a sweep may touch: none of a hidden guild, in tables where each row has a guild.
fn of_standing<E: EntityTrait>(rows: Condition) -> Condition {
    let guild = E::Column::iter().find(|column| column.as_str() == "guild_id" && !column.def().is_null());
    Condition::all().add(rows).add_option(guild.map(not_hidden))
}

/// Applies `change` to up to `limit` due rows and returns them.
///
/// Safe beside another sweep: rows that it closed are no longer due. On Postgres rows that another
/// transaction changes are skipped: the next sweep finds them, and one guild never delays the others.
pub(crate) async fn close<E: EntityTrait>(
    conn: &impl Conn,
    change: UpdateMany<E>,
    due: Due<E>,
    limit: u64,
) -> Result<Vec<E::Model>> {
    let some = Query::select()
        .column(due.id)
        .from(E::default())
        .cond_where(of_standing::<E>(due.rows.clone()))
        .order_by(due.since, Order::Asc)
        .limit(limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .to_owned();
    let chosen = match conn.get_database_backend() {
        // As an array the rows are chosen once. A plan may run a subquery several times, and each time it would choose and
        // lock further rows.
        DatabaseBackend::Postgres => {
            let some = Expr::SubQuery(None, Box::new(some.into()));
            Expr::cust_with_exprs("$1 = ANY(ARRAY $2)", [due.id.into_expr(), some])
        }
        _ => due.id.in_subquery(some),
    };
    change.filter(chosen).filter(due.rows).exec_with_returning(conn).await
}

/// The primary keys of up to `limit` of these rows.
pub(crate) fn keys<E: EntityTrait>(rows: &Condition, limit: u64) -> SelectStatement {
    let key = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let rows = of_standing::<E>(rows.clone());
    Query::select().columns(key).from(E::default()).cond_where(rows).limit(limit).take()
}

/// The row is one of those whose primary keys the statement selects.
pub(crate) fn key_in<E: EntityTrait>(keys: SelectStatement) -> SimpleExpr {
    Expr::tuple(E::PrimaryKey::iter().map(|key| key.into_column().into_expr())).in_subquery(keys)
}

/// Deletes up to `limit` of these rows and returns their number: those first that have the lowest value of `since`, an
/// index of which finds them.
pub(crate) async fn delete<E: EntityTrait>(
    conn: &impl Conn,
    rows: Condition,
    since: E::Column,
    limit: u64,
) -> Result<u64> {
    let some = key_in::<E>(keys::<E>(&rows, limit).order_by(since, Order::Asc).take());
    Ok(E::delete_many().filter(some).filter(rows).exec(conn).await?.rows_affected)
}
