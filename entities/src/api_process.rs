//! Processes that run no jobs, for operators: APIs and gateways. Each writes a heartbeat on the database's clock;
//! [`crate::worker`] has the processes that run jobs.

use std::time::Duration;

use sea_orm::QueryOrder;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};

use crate::by_id::no_relations;
use crate::job::time;
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_process")]
pub struct Model {
    /// Host, process id, and a part that a reused process id does not repeat.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub host: String,
    pub version: String,
    pub started_at: Timestamp,
    pub heartbeat_at: Timestamp,
    pub role: Role,
}

no_relations!();

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Role {
    Api,
    Gateway,
}

/// Writes a heartbeat, and the row where there is none; the database sets the times.
pub async fn beat(conn: &impl Conn, process: &Model, now: Timestamp) -> Result<()> {
    let later = OnConflict::column(Column::Name).update_column(Column::HeartbeatAt).to_owned();
    let insert = Query::insert()
        .into_table(Entity)
        .columns([
            Column::Name,
            Column::Host,
            Column::Version,
            Column::StartedAt,
            Column::HeartbeatAt,
            Column::Role,
        ])
        .values([
            Expr::value(process.name.as_str()),
            Expr::value(process.host.as_str()),
            Expr::value(process.version.as_str()),
            time::now(conn, now),
            time::now(conn, now),
            Expr::value(process.role),
        ])
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .on_conflict(later)
        .to_owned();
    conn.execute(&insert).await.map(drop)
}

pub async fn delete(conn: &impl Conn, name: &str) -> Result<()> {
    Entity::delete_by_id(name).exec(conn).await.map(drop)
}

/// Deletes processes whose last heartbeat is older than this, and returns their number.
pub async fn delete_silent(conn: &impl Conn, silence: Duration, now: Timestamp) -> Result<u64> {
    let silent = Expr::col(Column::HeartbeatAt).lt(time::before(conn, now, silence));
    Ok(Entity::delete_many().filter(silent).exec(conn).await?.rows_affected)
}

/// The oldest first.
pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::StartedAt).all(conn).await
}
