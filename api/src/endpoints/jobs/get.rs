//! GET /jobs/:jobId (docs/rules.md 5): a job's progress, the errors of its attempts, and a page of the members that
//! failed.

use std::borrow::Cow;

use entities::job::history::AttemptError;
use entities::{ChatId, JobId, Page, job_failure};
use serde_json::Value;

use crate::endpoints::jobs::record::{Job, find};
use crate::endpoints::prelude::*;
use crate::openapi::shape::{self, Shape};
use crate::request::field::Field;

#[derive(Serialize, ToSchema)]
pub(crate) struct JobDetails {
    #[serde(flatten)]
    job: Job,
    /// Of the last 16 attempts that did not succeed, oldest first. Kept when the job succeeds or is run again.
    errors: Vec<JobAttemptError>,
    /// Members the job failed for, newest first.
    failures: Vec<JobFailure>,
    #[schema(required, example = 9)]
    next_cursor: Option<i64>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JobAttemptError {
    /// From 1, and from 1 again when the job was run again.
    #[schema(minimum = 0, example = 1)]
    attempt: i32,
    at: Seconds,
    /// A stable word for programs.
    #[schema(example = "platform_unavailable")]
    error: String,
    #[schema(example = "the chat platform does not answer")]
    message: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JobFailure {
    #[schema(minimum = 1, example = 9)]
    id: i64,
    chat_id: ChatId,
    /// A stable word for programs.
    #[schema(example = "not_a_member")]
    error: String,
    #[schema(example = "the user is not a member of the guild")]
    message: String,
    created_at: Seconds,
}

impl From<AttemptError> for JobAttemptError {
    fn from(row: AttemptError) -> Self {
        Self { attempt: row.attempt, at: Seconds(row.at), error: row.error, message: row.message }
    }
}

impl From<job_failure::Model> for JobFailure {
    fn from(row: job_failure::Model) -> Self {
        Self {
            id: row.failure_id,
            chat_id: row.chat_id,
            error: row.error,
            message: row.message,
            created_at: Seconds(row.created_at),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("getJob", "How far a job is")
        .about("With the errors of its attempts, and a page of the members it failed for.")
        .paged::<FailureCursor>()
        .data::<JobDetails>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: JobId = call.path("jobId")?;
    let page = call.page::<FailureCursor>()?;
    let row = find(&call, call.read(), id).await?;
    let before = page.cursor.map(|cursor| cursor.0);
    let mut failures =
        job_failure::list(call.read(), id, Page { cursor: before, limit: page.limit + 1 }).await?;
    let next_cursor = page.cut(&mut failures, |row| row.failure_id);
    let failures = failures.into_iter().map(JobFailure::from).collect();
    let errors = row.history().into_iter().map(JobAttemptError::from).collect();
    Reply::data(&JobDetails { job: Job::of(row, call.now()), errors, failures, next_cursor })
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FailureCursor(i64);

impl Field for FailureCursor {
    fn allowed() -> Cow<'static, str> {
        "the `id` of a failure".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str()?.parse().ok().map(Self)
    }

    fn shape() -> Shape {
        shape::id(9)
    }
}
