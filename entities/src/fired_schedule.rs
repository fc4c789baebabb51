//! Ticks of schedules that have fired. The primary key (schedule, tick) lets exactly one process fire a tick.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::Set, QueryOrder};

use crate::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "fired_schedule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub schedule: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub tick: Timestamp,
    pub holder: String,
    pub fired_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub outcome: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Claims a tick; false when some process has it already.
pub async fn fire<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
    holder: &str,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let row = ActiveModel {
        schedule: Set(schedule.to_owned()),
        tick: Set(tick),
        holder: Set(holder.to_owned()),
        fired_at: Set(now),
        finished_at: Set(None),
        outcome: Set(None),
    };
    let conflict = OnConflict::columns([Column::Schedule, Column::Tick]).do_nothing().to_owned();
    Ok(Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

/// Notes how a tick ended.
pub async fn finish<C: ConnectionTrait>(
    conn: &C,
    (schedule, tick): (&str, Timestamp),
    outcome: &str,
    now: Timestamp,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::FinishedAt, Expr::value(now))
        .col_expr(Column::Outcome, Expr::value(outcome))
        .filter(Column::Schedule.eq(schedule))
        .filter(Column::Tick.eq(tick))
        .exec(conn)
        .await?;
    Ok(())
}

/// The newest tick of a schedule that fired.
pub async fn last<C: ConnectionTrait>(conn: &C, schedule: &str) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::Schedule.eq(schedule)).order_by_desc(Column::Tick).one(conn).await
}

/// Forgets ticks that fired before `before`, but never a schedule's newest: it tells where to go on.
pub async fn forget<C: ConnectionTrait>(conn: &C, schedule: &str, before: Timestamp) -> Result<u64, DbErr> {
    let Some(newest) = last(conn, schedule).await? else { return Ok(0) };
    let done = Entity::delete_many()
        .filter(Column::Schedule.eq(schedule))
        .filter(Column::FiredAt.lt(before))
        .filter(Column::Tick.lt(newest.tick))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}
