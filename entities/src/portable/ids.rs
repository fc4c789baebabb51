//! Ids that count the rows of all guilds: an import keeps them where they are free, and otherwise moves all those of a
//! table by the same distance.

use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query};
use sea_orm::{DatabaseBackend, Statement, Value};

use super::Table;
use crate::by_id::ROWS_PER_STATEMENT;
use crate::{Conn, GuildId, Result};

/// Columns with the id of another table's row.
const REFERENCES: [(&str, &str, &str); 2] =
    [("pending_action", "action_id", "staff_action"), ("leave_request", "loa_id", "loa")];

/// How far the ids of each table move.
#[derive(Debug, Default)]
pub struct Shifts(BTreeMap<&'static str, (&'static str, i64)>);

impl Shifts {
    /// Finds a place for the ids of a table, in their order, or the one that earlier rows of the guild have.
    pub async fn place(
        &mut self,
        conn: &impl Conn,
        table: &Table,
        guild: GuildId,
        ids: &[i64],
    ) -> Result<()> {
        let (Some(id), Some(first), Some(last)) = (table.serial, ids.first(), ids.last()) else {
            return Ok(());
        };
        let own = Expr::col("guild_id").eq(guild);
        let shift = match extreme(conn, table, Func::min(Expr::col(id)).into(), own).await? {
            Some(own) => own - first,
            None if are_free(conn, table, id, ids).await? => 0,
            None => {
                let newest =
                    extreme(conn, table, Func::max(Expr::col(id)).into(), Expr::cust("1 = 1")).await?;
                newest.map_or(0, |newest| newest + 1 - first)
            }
        };
        self.0.insert(table.name, (id, shift));
        reserve(conn, table.name, id, last + shift).await
    }

    pub(super) fn shifted(&self, table: &str, column: &str, value: Value) -> Value {
        let referred = REFERENCES.iter().find(|(of, name, _)| (*of, *name) == (table, column));
        let shift = match referred {
            Some((.., other)) => self.0.get(other).map(|(_, shift)| *shift),
            None => self.0.get(table).filter(|(id, _)| *id == column).map(|(_, shift)| *shift),
        };
        match (value, shift) {
            (Value::BigInt(Some(id)), Some(shift)) => Value::BigInt(Some(id + shift)),
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

/// Whoever writes a row meanwhile gets a later id. SQLite counts from the last row by itself.
async fn reserve(conn: &impl Conn, table: &str, id: &str, last: i64) -> Result<()> {
    if conn.get_database_backend() != DatabaseBackend::Postgres {
        return Ok(());
    }
    let sql = "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, greatest($3, nextval(pg_get_serial_sequence($1, $2)::regclass)))";
    let values = [table.into(), id.into(), last.into()];
    conn.query_one_raw(Statement::from_sql_and_values(DatabaseBackend::Postgres, sql, values)).await.map(drop)
}
