//! Runs a job again: a dead or failed job, or a job that waits for its next attempt.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::model::{Class, Column, Entity, Model, State};
use super::time;
use crate::{Conn, GuildId, JobId, Result, Timestamp};

/// Gives a dead or failed job a fresh set of attempts and keeps its history; a quarantined job stays quarantined.
/// `None` if it is in another state.
pub async fn restart(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Attempt, Expr::value(0))
        .col_expr(Column::FinishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, time::now(conn, now))
        .col_expr(Column::CancelRequested, Expr::value(false))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.is_in([State::Dead, State::Failed]))
        .filter(Column::ParentId.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Makes a queued job that waits for its next attempt due now. `None` if it is already due, or in another state.
pub async fn make_due(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::RunAt, time::now(conn, now))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.eq(State::Queued))
        .filter(Expr::col(Column::RunAt).gt(time::now(conn, now)))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Filter of failed and dead jobs; empty: all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Which<'a> {
    /// Failed ones or dead ones only.
    pub state: Option<State>,
    pub kind: Option<&'a str>,
    pub class: Option<Class>,
    pub guild: Option<GuildId>,
}

impl Which<'_> {
    fn condition(self) -> Condition {
        // Literals, for the partial index.
        let state = match self.state {
            Some(state) => state.is(),
            None => Column::State.into_expr().is_in([State::Dead, State::Failed].map(State::literal)),
        };
        Condition::all()
            .add(state)
            .add(Column::ParentId.is_null())
            .add_option(self.kind.map(|kind| Column::Kind.eq(kind)))
            .add_option(self.class.map(|class| Column::Class.eq(class)))
            .add_option(self.guild.map(|guild| Column::GuildId.eq(guild)))
    }
}

/// Failed and dead jobs, oldest first.
pub async fn find_failed(
    conn: &impl Conn,
    which: Which<'_>,
    after: Option<JobId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let wanted = which.condition().add_option(after.map(|after| Column::JobId.gt(after)));
    Entity::find().filter(wanted).order_by_asc(Column::JobId).limit(limit).all(conn).await
}

pub async fn count_failed(conn: &impl Conn, which: Which<'_>) -> Result<u64> {
    Entity::find().filter(which.condition()).count(conn).await
}
