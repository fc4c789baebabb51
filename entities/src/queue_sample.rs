//! The backlog of each class over time, for operators: every minute for a day, and the worst of every 30 minutes for 30
//! days.

use chrono::{DurationRound, TimeDelta};
use sea_orm::QueryOrder;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, SimpleExpr};
use sea_orm::{ActiveValue::Set, Condition};

use crate::by_id::no_relations;
use crate::job::Class;
use crate::{Conn, Result, Timestamp, sweep};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "queue_sample")]
pub struct Model {
    /// The length of time of a row, see [`Every`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub minutes: i32,
    /// The start of that time.
    #[sea_orm(primary_key, auto_increment = false)]
    pub at: Timestamp,
    #[sea_orm(primary_key, auto_increment = false)]
    pub class: Class,
    /// Jobs that are due: available, or held for their guild's turn.
    pub waiting: i64,
    /// How long the oldest available job has waited.
    pub oldest_seconds: i64,
    /// Deleted after this.
    pub until: Timestamp,
}

no_relations!();

/// The length of time of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    Minute,
    /// The worst of 30 minutes.
    HalfHour,
}

impl Every {
    const ALL: [Self; 2] = [Self::Minute, Self::HalfHour];

    pub fn minutes(self) -> i32 {
        match self {
            Self::Minute => 1,
            Self::HalfHour => 30,
        }
    }

    pub fn length(self) -> TimeDelta {
        TimeDelta::minutes(self.minutes().into())
    }

    /// Rows are kept this long.
    pub fn kept(self) -> TimeDelta {
        match self {
            Self::Minute => TimeDelta::days(1),
            Self::HalfHour => TimeDelta::days(30),
        }
    }
}

/// The backlog of a class at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    pub class: Class,
    pub waiting: i64,
    pub oldest_seconds: i64,
}

/// Writes the samples of this minute, once, and raises those of its half hour. False: this minute has its samples.
pub async fn write(conn: &impl Conn, samples: &[Sample], now: Timestamp) -> Result<bool> {
    let [minute, half_hour] = Every::ALL;
    let once = OnConflict::new().do_nothing().to_owned();
    let rows = rows(samples, minute, now);
    if Entity::insert_many(rows).on_conflict(once).exec_without_returning(conn).await? == 0 {
        return Ok(false);
    }
    let raise = OnConflict::columns([Column::Minutes, Column::At, Column::Class])
        .values([Column::Waiting, Column::OldestSeconds].map(|column| (column, larger(column))))
        .to_owned();
    let rows = self::rows(samples, half_hour, now);
    Entity::insert_many(rows).on_conflict(raise).exec_without_returning(conn).await?;
    Ok(true)
}

fn rows(samples: &[Sample], every: Every, now: Timestamp) -> Vec<ActiveModel> {
    let at = now.duration_trunc(every.length()).unwrap_or(now);
    let row = |sample: &Sample| ActiveModel {
        minutes: Set(every.minutes()),
        at: Set(at),
        class: Set(sample.class),
        waiting: Set(sample.waiting),
        oldest_seconds: Set(sample.oldest_seconds),
        until: Set(at + every.kept()),
    };
    samples.iter().map(row).collect()
}

/// The larger of the stored and the new value; the databases' functions for that have different names.
fn larger(column: Column) -> SimpleExpr {
    let new = || Expr::col(("excluded", column));
    let old = || Expr::col((Entity, column));
    CaseStatement::new().case(new().gt(old()), new()).finally(old()).into()
}

/// The samples of all classes since a time, oldest first.
pub async fn list(conn: &impl Conn, every: Every, since: Timestamp) -> Result<Vec<Model>> {
    let which = Condition::all().add(Column::Minutes.eq(every.minutes())).add(Column::At.gte(since));
    Entity::find().filter(which).order_by_asc(Column::At).all(conn).await
}

/// Deletes up to `limit` rows whose retention has ended.
pub async fn prune(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<u64> {
    sweep::delete::<Entity>(conn, Condition::all().add(Column::Until.lt(now)), Column::Until, limit).await
}
