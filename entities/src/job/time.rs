//! The queue's time is the database's clock: the wall clocks of two processes are never compared.
//!
//! On Postgres that is the function `queue_now()`. A SQLite database belongs to one process, which passes in its time.

use std::time::Duration;

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{DatabaseBackend, DbErr, Statement};

use crate::{Conn, Result, Timestamp};

pub(crate) fn now(conn: &impl Conn, process: Timestamp) -> SimpleExpr {
    match conn.get_database_backend() {
        DatabaseBackend::Postgres => Expr::cust("queue_now()"),
        _ => Expr::value(process),
    }
}

pub(super) fn after(conn: &impl Conn, process: Timestamp, wait: Duration) -> SimpleExpr {
    match conn.get_database_backend() {
        DatabaseBackend::Postgres => {
            Expr::cust_with_values("queue_now() + make_interval(secs => $1)", [wait.as_secs_f64()])
        }
        _ => Expr::value(process + wait),
    }
}

pub(crate) fn before(conn: &impl Conn, process: Timestamp, ago: Duration) -> SimpleExpr {
    match conn.get_database_backend() {
        DatabaseBackend::Postgres => {
            Expr::cust_with_values("queue_now() - make_interval(secs => $1)", [ago.as_secs_f64()])
        }
        _ => Expr::value(process - ago),
    }
}

/// The queue's current time.
pub async fn read(conn: &impl Conn, process: Timestamp) -> Result<Timestamp> {
    if conn.get_database_backend() != DatabaseBackend::Postgres {
        return Ok(process);
    }
    let asked = Statement::from_string(DatabaseBackend::Postgres, "SELECT queue_now() AS now");
    let row = conn.query_one_raw(asked).await?.ok_or(DbErr::RecordNotFound("now".to_owned()))?;
    row.try_get("", "now")
}
