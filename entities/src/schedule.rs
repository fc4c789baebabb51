//! The last tick of each schedule. A tick fires when `last_tick` is raised to it, which one process can do.

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::NotSet, QueryOrder};

use crate::by_id::no_relations;
use crate::job::time;
use crate::{Conn, JobId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "schedule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub paused: bool,
    pub last_tick: Timestamp,
    /// The job of the newest tick.
    pub job_id: Option<JobId>,
}

no_relations!();

/// A tick fired this far ahead of the due one came from a badly wrong clock. It does not block earlier ticks; otherwise
/// a date set wrong for a moment would stop a schedule for a day.
const TOO_FAR_AHEAD: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

impl Model {
    pub fn may_fire(&self, tick: Timestamp) -> bool {
        !self.paused && (self.last_tick < tick || self.last_tick > tick + TOO_FAR_AHEAD)
    }
}

/// Inserts an unknown schedule as if `tick` had fired: earlier ticks are not made up.
pub async fn begin(conn: &impl Conn, ticks: &[(&str, Timestamp)]) -> Result<()> {
    let rows = ticks.iter().map(|(name, tick)| ActiveModel {
        name: Set((*name).to_owned()),
        paused: Set(false),
        last_tick: Set(*tick),
        job_id: NotSet,
    });
    let conflict = OnConflict::column(Column::Name).do_nothing().to_owned();
    Entity::insert_many(rows).on_conflict(conflict).exec_without_returning(conn).await.map(drop)
}

pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::Name).all(conn).await
}

pub async fn find(conn: &impl Conn, name: &str) -> Result<Option<Model>> {
    Entity::find_by_id(name).one(conn).await
}

/// Fires a tick. False: this tick or a later one has fired, or the schedule is paused.
pub async fn fire(conn: &impl Conn, name: &str, tick: Timestamp, now: Timestamp) -> Result<bool> {
    // A process that was frozen for long holds an old tick: only a future tick counts as too far ahead.
    let too_far = Expr::col(Column::LastTick).gt(tick + TOO_FAR_AHEAD);
    let too_far = too_far.and(Expr::col(Column::LastTick).gt(time::now(conn, now)));
    let fired = Entity::update_many()
        .col_expr(Column::LastTick, Expr::value(tick))
        .filter(Column::Name.eq(name))
        .filter(Column::Paused.eq(false))
        .filter(Column::LastTick.lt(tick).or(too_far))
        .exec(conn)
        .await?;
    Ok(fired.rows_affected == 1)
}

/// Stores the job of the newest tick.
pub async fn set_job(conn: &impl Conn, name: &str, job: JobId) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::JobId, Expr::value(job))
        .filter(Column::Name.eq(name))
        .exec(conn)
        .await
        .map(drop)
}

/// False: the schedule does not exist.
pub async fn set_paused(conn: &impl Conn, name: &str, paused: bool) -> Result<bool> {
    let done = Entity::update_many()
        .col_expr(Column::Paused, Expr::value(paused))
        .filter(Column::Name.eq(name))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}
