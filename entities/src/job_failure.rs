//! Failures of single members in a bulk job, kept under the parent.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect};

use crate::by_id::no_relations;
use crate::{ChatId, Conn, JobId, Page, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job_failure")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub failure_id: i64,
    pub job_id: JobId,
    pub chat_id: ChatId,
    /// A stable code for programs.
    pub error: String,
    pub message: String,
    pub created_at: Timestamp,
}

no_relations!();

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFailure {
    pub chat: ChatId,
    pub error: &'static str,
    pub message: String,
}

/// Writes failures. A failure of the same member replaces the recorded one, so a chunk may run twice.
pub async fn note(conn: &impl Conn, job: JobId, failures: Vec<NewFailure>, now: Timestamp) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    let conflict = OnConflict::columns([Column::JobId, Column::ChatId])
        .update_columns([Column::Error, Column::Message, Column::CreatedAt])
        .to_owned();
    let rows = failures.into_iter().map(|failure| ActiveModel {
        failure_id: NotSet,
        job_id: Set(job),
        chat_id: Set(failure.chat),
        error: Set(failure.error.to_owned()),
        message: Set(failure.message),
        created_at: Set(now),
    });
    Entity::insert_many(rows).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(())
}

/// Deletes the failures of a job that begins anew.
pub async fn forget(conn: &impl Conn, job: JobId) -> Result<()> {
    Entity::delete_many().filter(Column::JobId.eq(job)).exec(conn).await?;
    Ok(())
}

/// Failures of a job, newest first.
pub async fn list(conn: &impl Conn, job: JobId, page: Page<i64>) -> Result<Vec<Model>> {
    page.of(Entity::find().filter(Column::JobId.eq(job)), Column::FailureId).all(conn).await
}

/// How many members a job failed for, by the code of the error; the most frequent first.
pub async fn count_by_error(conn: &impl Conn, job: JobId) -> Result<Vec<(String, i64)>> {
    let count = Column::FailureId.count();
    Entity::find()
        .select_only()
        .column(Column::Error)
        .column_as(count, "members")
        .filter(Column::JobId.eq(job))
        .group_by(Column::Error)
        .order_by_desc(Expr::col("members"))
        .into_tuple()
        .all(conn)
        .await
}

/// The first failures of a job with this code.
pub async fn first_with(conn: &impl Conn, job: JobId, error: &str, limit: u64) -> Result<Vec<Model>> {
    let failed = Entity::find().filter(Column::JobId.eq(job)).filter(Column::Error.eq(error));
    failed.order_by_asc(Column::FailureId).limit(limit).all(conn).await
}
