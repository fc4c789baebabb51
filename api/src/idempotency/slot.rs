//! A request's place in the table of answers.

use entities::JobId;
use entities::idempotency::{self, Hold};
use sea_orm::ConnectionTrait;

use crate::response::error::ApiError;
use crate::response::reply::Reply;

#[derive(Debug, Clone)]
pub(crate) struct IdempotencySlot {
    pub(crate) hold: Hold,
    /// The job the first request enqueued: wait for that one, enqueue none.
    pub(crate) first_job: Option<JobId>,
}

impl IdempotencySlot {
    pub(crate) fn first_job(&self) -> Option<JobId> {
        self.first_job
    }

    /// Notes, in the transaction that enqueues it, which job answers this request.
    pub(crate) async fn attach<C: ConnectionTrait>(&self, conn: &C, job: JobId) -> Result<(), ApiError> {
        let held = idempotency::attach_job(conn, &self.hold, job).await?;
        held.then_some(()).ok_or_else(ApiError::still_running)
    }

    pub(crate) async fn keep<C: ConnectionTrait>(&self, conn: &C, reply: &Reply) -> Result<(), ApiError> {
        let answer = reply.render()?;
        let answer = (reply.status.as_u16(), answer.as_ref());
        let held = idempotency::complete(conn, &self.hold, answer, reply.location.as_deref()).await?;
        held.then_some(()).ok_or_else(ApiError::still_running)
    }
}
