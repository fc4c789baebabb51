//! Lists of varying length in statements. One parameter per element would make a new statement for each length, which
//! every connection prepares anew. Postgres gets a list as one array; on SQLite lengths are rounded up.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::postgres_array::NotU8;
use sea_orm::sea_query::{ArrayType, Asterisk, Func, Query, SelectStatement, SimpleExpr, ValueTuple};
use sea_orm::{DatabaseBackend, Value};

use crate::Conn;

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

/// A table of these rows (at least one), with the columns `column1`, `column2`, ….
pub(crate) fn table<const N: usize>(conn: &impl Conn, rows: Vec<[Value; N]>) -> SelectStatement {
    let mut table = Query::select();
    if conn.get_database_backend() != DatabaseBackend::Postgres {
        let rows = padded(rows).into_iter().map(|row| ValueTuple::Many(row.into()));
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

/// The list, padded with its last element to a power of two.
fn padded<T: Clone>(mut list: Vec<T>) -> Vec<T> {
    if let Some(last) = list.last().cloned() {
        list.resize(list.len().next_power_of_two(), last);
    }
    list
}
