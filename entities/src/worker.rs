//! Processes that run jobs. Each writes one heartbeat for all its runs, on the database's clock. A process without a
//! row was declared dead: it registers again, and its old claims are void.

use std::time::Duration;

use sea_orm::QueryOrder;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};

use crate::by_id::no_relations;
use crate::job::{self, time};
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "worker")]
pub struct Model {
    /// Host, process id, and a part that a reused process id does not repeat.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub host: String,
    pub version: String,
    /// Concurrent jobs, by class.
    pub slots: Json,
    pub started_at: Timestamp,
    pub heartbeat_at: Timestamp,
}

no_relations!();

/// Registers a process; the database sets its times.
pub async fn register(conn: &impl Conn, row: Model, now: Timestamp) -> Result<()> {
    let insert = Query::insert()
        .into_table(Entity)
        .columns([
            Column::Name,
            Column::Host,
            Column::Version,
            Column::Slots,
            Column::StartedAt,
            Column::HeartbeatAt,
        ])
        .values([
            Expr::value(row.name),
            Expr::value(row.host),
            Expr::value(row.version),
            Expr::value(row.slots),
            time::now(conn, now),
            time::now(conn, now),
        ])
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .to_owned();
    conn.execute(&insert).await.map(drop)
}

/// False: the process was declared dead.
pub async fn beat(conn: &impl Conn, worker: &str, now: Timestamp) -> Result<bool> {
    let done = Entity::update_many()
        .col_expr(Column::HeartbeatAt, time::now(conn, now))
        .filter(Column::Name.eq(worker))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}

pub async fn delete(conn: &impl Conn, worker: &str) -> Result<()> {
    Entity::delete_by_id(worker).exec(conn).await.map(drop)
}

/// Declares processes dead whose last heartbeat is older than this, and returns their number.
pub async fn delete_stale(conn: &impl Conn, silence: Duration, now: Timestamp) -> Result<u64> {
    let stale = Expr::col(Column::HeartbeatAt).lt(time::before(conn, now, silence));
    Ok(Entity::delete_many().filter(stale).exec(conn).await?.rows_affected)
}

/// Called at the start of the only process of an installation, when no other is alive.
pub async fn delete_all(conn: &impl Conn) -> Result<u64> {
    Ok(Entity::delete_many().exec(conn).await?.rows_affected)
}

/// A process and its running jobs.
#[derive(Debug, Clone)]
pub struct Listed {
    pub worker: Model,
    pub running: u64,
}

/// The oldest first.
pub(crate) async fn all(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::StartedAt).all(conn).await
}

pub async fn list(conn: &impl Conn) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    for worker in all(conn).await? {
        let running = job::run::count_of(conn, &worker.name).await?;
        listed.push(Listed { worker, running });
    }
    Ok(listed)
}

pub(crate) fn registered() -> sea_orm::sea_query::SelectStatement {
    Query::select().column(Column::Name).from(Entity).to_owned()
}
