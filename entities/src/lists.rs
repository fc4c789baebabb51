//! Lists of varying length in statements. One parameter per element would make a new statement for each length, which
//! every connection prepares anew. Postgres gets a list as one array; on SQLite lengths are rounded up.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::postgres_array::NotU8;
use sea_orm::sea_query::{
    ArrayType, Asterisk, CommonTableExpression, Expr, ExprTrait, Func, JoinType, Query, SelectStatement,
    SimpleExpr, UnionType, UpdateStatement, ValueTuple,
};
use sea_orm::{DatabaseBackend, FromQueryResult, Value};

use crate::{Conn, GuildId, Result};

/// The column's value is in the list.
pub(crate) fn any_of<V: Into<Value> + NotU8 + Clone>(
    conn: &impl Conn,
    column: impl ColumnTrait,
    list: impl IntoIterator<Item = V>,
) -> SimpleExpr {
    match conn.get_database_backend() {
        DatabaseBackend::Postgres => column.eq_any(list),
        _ => column.is_in(padded(list.into_iter().collect())),
    }
}

/// A table of these rows (at least one), with the columns `column1`, `column2`, …. On SQLite some may come twice.
pub(crate) fn table<const N: usize>(conn: &impl Conn, rows: Vec<[Value; N]>) -> SelectStatement {
    match conn.get_database_backend() {
        DatabaseBackend::Postgres => exactly(conn, rows),
        _ => exactly(conn, padded(rows)),
    }
}

/// The same with each row once, to insert them.
pub(crate) fn exactly<const N: usize>(conn: &impl Conn, rows: Vec<[Value; N]>) -> SelectStatement {
    let mut table = Query::select();
    if conn.get_database_backend() != DatabaseBackend::Postgres {
        let rows = rows.into_iter().map(|row| ValueTuple::Many(row.into()));
        return table.column(Asterisk).from_values(rows, "given").take();
    }
    for column in 0..N {
        let values: Vec<Value> = rows.iter().map(|row| row[column].clone()).collect();
        let of = values.first().map_or(ArrayType::String, Value::array_type);
        let array = Func::cust("unnest").arg(Value::Array(of, Some(Box::new(values))));
        table.expr_as(array, format!("column{}", column + 1));
    }
    // With a limit of all rows, Postgres expects one row in a generic plan, so it reads the other table by its index.
    // Without it, a plan made while that table was small would read all of it permanently.
    table.limit(rows.len() as u64);
    table
}

/// Executes an update of rows that its conditions join with the table `given` of these rows (at least one).
pub(crate) async fn update_from<const N: usize>(
    conn: &impl Conn,
    rows: Vec<[Value; N]>,
    update: &mut UpdateStatement,
) -> Result<()> {
    let mut given = CommonTableExpression::from_select(table(conn, rows));
    given.table_name("given");
    let update = update.from("given").take();
    conn.execute(&update.with(Query::with().cte(given).to_owned())).await?;
    Ok(())
}

/// Parts of one statement of SQLite, which permits 500; a power of two.
const PARTS: usize = 64;

/// The rows that `select` finds for each key, such as the newest of each guild.
pub(crate) async fn of_each<M: FromQueryResult, const N: usize>(
    conn: &impl Conn,
    keys: Vec<[Value; N]>,
    select: impl Fn([SimpleExpr; N]) -> SelectStatement,
) -> Result<Vec<M>> {
    let mut rows = Vec::new();
    if conn.get_database_backend() != DatabaseBackend::Postgres {
        // A part of a union has a limit of its own only as a subquery.
        let of_key = |key: &[Value; N]| {
            let of_key = select(key.clone().map(Expr::value));
            Query::select().column(Asterisk).from_subquery(of_key, "found").take()
        };
        let mut left = keys.as_slice();
        while !left.is_empty() {
            // By powers of two: as each number of parts is a statement of its own, there are few.
            let (part, rest) = left.split_at(PARTS.min(1 << left.len().ilog2()));
            left = rest;
            let mut of_keys = part.iter().map(of_key);
            let Some(mut all) = of_keys.next() else { continue };
            all.unions(of_keys.map(|other| (UnionType::All, other)));
            rows.extend(conn.query_all(&all).await?);
        }
    } else if !keys.is_empty() {
        let given = std::array::from_fn(|n| Expr::col(("given", format!("column{}", n + 1))));
        let mut all = Query::select();
        all.column(("found", Asterisk)).from_subquery(table(conn, keys), "given").join_lateral(
            JoinType::InnerJoin,
            select(given),
            "found",
            Expr::cust("true"),
        );
        rows = conn.query_all(&all).await?;
    }
    rows.iter().map(|row| M::from_query_result(row, "")).collect()
}

/// The rows of `select` of these guilds, in the order of an index that begins with the guild, or Postgres may read the
/// whole table for a guild that has most of it. On Postgres at most `limit` of each, on SQLite that many on average,
/// because one statement for all costs less there.
pub(crate) async fn of_guilds<M: FromQueryResult>(
    conn: &impl Conn,
    column: impl ColumnTrait,
    guilds: &[GuildId],
    limit: u64,
    mut select: SelectStatement,
) -> Result<Vec<M>> {
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        let of_guild = |[guild]: [SimpleExpr; 1]| {
            let mut own = select.clone();
            own.and_where(column.into_expr().eq(guild)).limit(limit).take()
        };
        return of_each(conn, guilds.iter().map(|guild| [Value::from(*guild)]).collect(), of_guild).await;
    }
    select.and_where(column.is_in(padded(guilds.to_vec()))).limit(limit * guilds.len() as u64);
    conn.query_all(&select).await?.iter().map(|row| M::from_query_result(row, "")).collect()
}

/// How many rows `select` returns: with a limit, that many at most.
pub(crate) async fn count(conn: &impl Conn, select: SelectStatement) -> Result<u64> {
    let number = Expr::col(Asterisk).count();
    let counted = Query::select().expr_as(number, "number").from_subquery(select, "counted").take();
    let row = conn.query_one(&counted).await?.ok_or_else(|| DbErr::RecordNotFound("a count".to_owned()))?;
    let number: i64 = row.try_get("", "number")?;
    Ok(number.unsigned_abs())
}

/// The list, padded with its last element to a power of two.
fn padded<T: Clone>(mut list: Vec<T>) -> Vec<T> {
    if let Some(last) = list.last().cloned() {
        list.resize(list.len().next_power_of_two(), last);
    }
    list
}
