//! Ticks of schedules that have fired.
//!
//! The primary key (schedule, tick) lets exactly one process fire a tick. A unique index keeps one run of a schedule open
//! at a time: whoever comes upon an open run that nobody works on takes it over, and only then the next tick
//! fires. So each tick that fired is run to its end, by one process or by the next.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use crate::{Timestamp, leader_lease};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "fired_schedule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub schedule: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub tick: Timestamp,
    pub holder: String,
    pub fired_at: Timestamp,
    /// `None`: the run is open.
    pub finished_at: Option<Timestamp>,
    pub outcome: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// A tick that fired this far ahead of the one that is due was fired by a clock that was badly wrong. It does not hold up
/// the ticks before it, or a day set wrong for a moment would stop a schedule for a day.
pub const TOO_FAR_AHEAD: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// Who claims, and when by its clock.
#[derive(Debug, Clone, Copy)]
pub struct Claimant<'a> {
    pub holder: &'a str,
    /// The lease that `holder` must have while the claim is written; `None`: the one process of an installation.
    pub lease: Option<&'a str>,
    pub now: Timestamp,
}

impl Claimant<'_> {
    fn may(&self) -> Condition {
        Condition::all().add_option(self.lease.map(|lease| leader_lease::is_held(lease, self.holder)))
    }
}

/// Begins the history of a schedule that never fired: as if `tick` had. Ticks before it are not made up for.
pub async fn begin<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
    by: Claimant<'_>,
) -> Result<(), DbErr> {
    let known =
        Query::select().expr(Expr::value(1)).from(Entity).and_where(Column::Schedule.eq(schedule)).to_owned();
    let row =
        Model { finished_at: Some(by.now), outcome: Some("began".to_owned()), ..row(schedule, tick, by) };
    insert(conn, row, by.may().add(Expr::exists(known).not())).await.map(drop)
}

/// Claims a tick. False when it, or one after it, has fired; when a run of the schedule is open; when the lease is
/// another's.
pub async fn fire<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
    by: Claimant<'_>,
) -> Result<bool, DbErr> {
    let later =
        Query::select().expr(Expr::value(1)).from(Entity).cond_where(covers(schedule, tick)).to_owned();
    insert(conn, row(schedule, tick, by), by.may().add(Expr::exists(later).not())).await
}

/// Whether the tick, or one after it, has fired.
pub async fn is_covered<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
) -> Result<bool, DbErr> {
    Ok(Entity::find().filter(covers(schedule, tick)).limit(1).one(conn).await?.is_some())
}

fn covers(schedule: &str, tick: Timestamp) -> Condition {
    Condition::all().add(Column::Schedule.eq(schedule)).add(Column::Tick.between(tick, tick + TOO_FAR_AHEAD))
}

fn row(schedule: &str, tick: Timestamp, by: Claimant<'_>) -> Model {
    let (schedule, holder) = (schedule.to_owned(), by.holder.to_owned());
    Model { schedule, tick, holder, fired_at: by.now, finished_at: None, outcome: None }
}

/// One statement, so that nothing can come between the condition and the row, not even the freezing of this process.
async fn insert<C: ConnectionTrait>(conn: &C, row: Model, only_if: Condition) -> Result<bool, DbErr> {
    let values = [
        Expr::value(row.schedule),
        Expr::value(row.tick),
        Expr::value(row.holder),
        Expr::value(row.fired_at),
        Expr::value(row.finished_at),
        Expr::value(row.outcome),
    ];
    let columns = [
        Column::Schedule,
        Column::Tick,
        Column::Holder,
        Column::FiredAt,
        Column::FinishedAt,
        Column::Outcome,
    ];
    let source = Query::select().exprs(values).cond_where(only_if).to_owned();
    let insert = Query::insert()
        .into_table(Entity)
        .columns(columns)
        .select_from(source)
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .to_owned();
    Ok(conn.execute(&insert).await?.rows_affected() > 0)
}

/// The runs that have not ended: at most one of each schedule.
pub async fn open<C: ConnectionTrait>(conn: &C) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::FinishedAt.is_null()).all(conn).await
}

/// Takes over an open run as it was seen. False when it has ended, another was faster, or the lease is another's.
pub async fn take_over<C: ConnectionTrait>(conn: &C, seen: &Model, by: Claimant<'_>) -> Result<bool, DbErr> {
    let taken = Entity::update_many()
        .col_expr(Column::Holder, Expr::value(by.holder))
        .col_expr(Column::FiredAt, Expr::value(by.now))
        .filter(run(&seen.schedule, seen.tick, &seen.holder).add(by.may()))
        .exec(conn)
        .await?;
    Ok(taken.rows_affected == 1)
}

/// Notes how a run ended. False when another has taken it over: that one counts.
pub async fn finish<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
    holder: &str,
    (outcome, now): (&str, Timestamp),
) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::FinishedAt, Expr::value(now))
        .col_expr(Column::Outcome, Expr::value(outcome))
        .filter(run(schedule, tick, holder))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}

fn run(schedule: &str, tick: Timestamp, holder: &str) -> Condition {
    Condition::all()
        .add(Column::Schedule.eq(schedule))
        .add(Column::Tick.eq(tick))
        .add(Column::Holder.eq(holder))
        .add(Column::FinishedAt.is_null())
}

/// Every tick that is not forgotten yet, oldest first.
pub async fn all<C: ConnectionTrait>(conn: &C) -> Result<Vec<Model>, DbErr> {
    Entity::find().order_by_asc(Column::Tick).all(conn).await
}

/// The newest tick of a schedule that fired.
pub async fn last<C: ConnectionTrait>(conn: &C, schedule: &str) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::Schedule.eq(schedule)).order_by_desc(Column::Tick).one(conn).await
}

/// Forgets ticks that fired before `before`, but never a schedule's newest, which tells where to go on, nor an open run.
pub async fn forget<C: ConnectionTrait>(conn: &C, schedule: &str, before: Timestamp) -> Result<u64, DbErr> {
    let Some(newest) = last(conn, schedule).await? else { return Ok(0) };
    let done = Entity::delete_many()
        .filter(Column::Schedule.eq(schedule))
        .filter(Column::FiredAt.lt(before))
        .filter(Column::Tick.lt(newest.tick))
        .filter(Column::FinishedAt.is_not_null())
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}
