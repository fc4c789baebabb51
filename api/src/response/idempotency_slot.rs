//! A request's row in the table of stored responses.

use entities::JobId;
use entities::idempotency::{self, Hold};
use sea_orm::ConnectionTrait;

use crate::response::error::ApiError;
use crate::response::reply::Reply;

#[derive(Debug, Clone)]
pub(crate) struct IdempotencySlot {
    pub(crate) hold: Hold,
    /// The job that the first request enqueued: wait for it, enqueue no other.
    pub(crate) first_job: Option<JobId>,
}

impl IdempotencySlot {
    /// Records, in the transaction that enqueues it, the job that produces this response.
    pub(crate) async fn attach<C: ConnectionTrait>(&self, conn: &C, job: JobId) -> Result<(), ApiError> {
        let held = idempotency::attach_job(conn, &self.hold, job).await?;
        held.then_some(()).ok_or_else(ApiError::still_running)
    }

    pub(crate) async fn keep<C: ConnectionTrait>(&self, conn: &C, reply: &Reply) -> Result<(), ApiError> {
        let (status, body) = (reply.status.as_u16(), reply.render()?);
        let body = String::from_utf8_lossy(&body);
        let held = idempotency::complete(conn, &self.hold, status, &body, reply.location.as_deref()).await?;
        held.then_some(()).ok_or_else(ApiError::still_running)
    }
}
