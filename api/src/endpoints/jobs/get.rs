//! GET /jobs/:jobId (docs/rules.md 5): a job's progress, the errors of its attempts, and a page of the members that
//! failed.

use std::borrow::Cow;

use entities::job::history::AttemptError;
use entities::{ChatId, JobId, Page, job_failure};
use serde_json::Value;

use crate::endpoints::jobs::record::{Job, find};
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

#[derive(Serialize, ToSchema)]
pub(crate) struct JobDetails {
    #[serde(flatten)]
    job: Job,
    /// Of the last 16 attempts that did not succeed, oldest first. Kept when the job succeeds or is run again.
    errors: Vec<JobAttemptError>,
    /// Members for whom the job failed, newest first.
    failures: Vec<JobFailure>,
    #[schema(required, example = 9)]
    next_cursor: Option<i64>,
}

answer! {
    pub(crate) struct JobAttemptError from row: AttemptError {
        /// Counts from 1, and again from 1 when the job is run again.
        #[schema(minimum = 0, example = 1)]
        attempt: i32,
        at: Seconds,
        /// A stable word for programs.
        #[schema(example = "platform_unavailable")]
        error: String,
        #[schema(example = "the chat platform does not answer")]
        message: String,
    }
}

answer! {
    pub(crate) struct JobFailure from row: job_failure::Model {
        #[schema(minimum = 1, example = 9)]
        id: i64 = row.failure_id,
        chat_id: ChatId,
        /// A stable word for programs.
        #[schema(example = "not_a_member")]
        error: String,
        #[schema(example = "the user is not a member of the guild")]
        message: String,
        created_at: Seconds,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("getJob", "Progress of a job")
        .about("With the errors of its attempts, and a page of the members for whom it failed.")
        .paged::<FailureCursor>()
        .data::<JobDetails>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: JobId = call.path("jobId")?;
    let page = call.page::<FailureCursor>()?;
    let row = find(&call, call.read(), id).await?;
    let before = page.cursor.map(|cursor| cursor.0);
    let failed = job_failure::list(call.read(), id, Page { cursor: before, limit: page.limit + 1 }).await?;
    let errors = row.history().iter().map(JobAttemptError::from).collect();
    let job = Job::new(&row, call.now());
    let data = |failures, next_cursor| JobDetails { job, errors, failures, next_cursor };
    page.reply(failed, |row| row.failure_id, data)
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
