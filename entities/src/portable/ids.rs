//! Ids that count the rows of all guilds: an import keeps them where they are free, and otherwise moves all those of a
//! table by the same distance.

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query};
use sea_orm::{DatabaseBackend, Statement, Value};

use super::Table;
use crate::by_id::ROWS_PER_STATEMENT;
use crate::guild::import::{self, Place, Placed};
use crate::{Conn, GuildId, Result};

/// Columns with the id of another table's row.
const REFERENCES: [(&str, &str, &str); 2] =
    [("pending_action", "action_id", "staff_action"), ("leave_request", "loa_id", "loa")];

/// How far the ids of each table move.
#[derive(Debug, Default)]
pub struct Shifts(Placed);

impl Shifts {
    /// Of an import that goes on.
    pub fn of(placed: Placed) -> Self {
        Self(placed)
    }

    pub fn placed(&self) -> &Placed {
        &self.0
    }

    /// Finds a place for the ids of a table, unless they have one, and keeps everybody else from it once the transaction is
    /// committed.
    pub async fn place(
        &mut self,
        conn: &impl Conn,
        table: &Table,
        guild: GuildId,
        ids: &[i64],
    ) -> Result<()> {
        let (Some(id), Some(first), Some(last)) = (table.serial, ids.iter().min(), ids.iter().max()) else {
            return Ok(());
        };
        if self.0.0.contains_key(table.name) {
            return Ok(());
        }
        let others = import::places_of_others(conn, guild, table.name).await?;
        let is_promised = others.iter().any(|other| other.first <= *last && *first <= other.last);
        let shift = if !is_promised && are_free(conn, table, id, ids).await? {
            0
        } else {
            let newest = extreme(conn, table, Func::max(Expr::col(id)).into(), Expr::cust("1 = 1")).await?;
            let newest = others.iter().map(|other| other.last).chain(newest).max();
            newest.map_or(0, |newest| newest + 1 - first)
        };
        let place = Place { first: first + shift, last: last + shift, shift };
        reserve(conn, table.name, id, place.last).await?;
        self.0.0.insert(table.name.to_owned(), place);
        Ok(())
    }

    pub(super) fn shifted(&self, table: &Table, column: &str, value: Value) -> Value {
        let referred = REFERENCES.iter().find(|(of, name, _)| (*of, *name) == (table.name, column));
        let own = table.serial.filter(|id| *id == column).map(|_| table.name);
        let place = referred.map(|(.., other)| *other).or(own).and_then(|table| self.0.0.get(table));
        match (value, place) {
            (Value::BigInt(Some(id)), Some(place)) => Value::BigInt(Some(id + place.shift)),
            (value, _) => value,
        }
    }
}

async fn are_free(conn: &impl Conn, table: &Table, id: &'static str, ids: &[i64]) -> Result<bool> {
    for part in ids.chunks(ROWS_PER_STATEMENT) {
        let taken = Expr::col(id).is_in(part.iter().copied());
        if extreme(conn, table, Func::min(Expr::col(id)).into(), taken).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn extreme(conn: &impl Conn, table: &Table, of: Expr, rows: Expr) -> Result<Option<i64>> {
    let mut select = Query::select();
    select.expr_as(of, "id").from(table.name).and_where(rows);
    let row = conn.query_one(&select).await?;
    row.map_or(Ok(None), |row| row.try_get("", "id"))
}

/// Whoever writes a row meanwhile gets a later id.
async fn reserve(conn: &impl Conn, table: &str, id: &str, last: i64) -> Result<()> {
    let backend = conn.get_database_backend();
    if backend == DatabaseBackend::Postgres {
        let sql = "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, greatest($3, nextval(pg_get_serial_sequence($1, $2)::regclass)))";
        let values = [table.into(), id.into(), last.into()];
        return conn.query_one_raw(Statement::from_sql_and_values(backend, sql, values)).await.map(drop);
    }
    let values = || -> [Value; 2] { [last.into(), table.into()] };
    let raise = "UPDATE sqlite_sequence SET seq = max(seq, $1) WHERE name = $2";
    let raised = conn.execute_raw(Statement::from_sql_and_values(backend, raise, values())).await?;
    if raised.rows_affected() == 0 {
        // No row was ever written there.
        let begin = "INSERT INTO sqlite_sequence (seq, name) VALUES ($1, $2)";
        conn.execute_raw(Statement::from_sql_and_values(backend, begin, values())).await?;
    }
    Ok(())
}
