//! A run's right to go on: its claim, which the database confirms again and again.
//!
//! A process can stand still for a minute and not know it, or lose the connection its message came over; either way
//! somebody else may have the job by now. So a run goes on only while its claim was confirmed a moment ago: else it is
//! not polled until the database has said that it still holds.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use entities::Timestamp;
use entities::job::lifecycle::{self, Heartbeat};
use runtime::Clock;
use sea_orm::DbErr;
use tokio_util::sync::CancellationToken;

use super::{HEARTBEAT, JobContext, JobError, LEASE};

/// A claim confirmed longer ago is in doubt. More than a heartbeat, and less than the 15 s after which the broker may give
/// a silent worker's messages to another: twice its own heartbeat, less the half that the last sign of life may be old.
const DOUBT: Duration = Duration::from_secs(13);
/// How soon a step of the clock is noticed; time between two beats where something is wrong.
const LOOK: Duration = Duration::from_secs(1);

/// When the database last confirmed a claim, and whether its message may be with somebody else.
pub(crate) struct Lease {
    /// Cancelled when the broker may have given the message to another worker.
    undelivered: CancellationToken,
    confirmed: Mutex<(Instant, Timestamp)>,
}

impl Lease {
    /// `asked`: when the claim was sent for.
    pub(super) fn new(undelivered: CancellationToken, asked: (Instant, Timestamp)) -> Self {
        Self { undelivered, confirmed: Mutex::new(asked) }
    }

    /// Time since the last confirmation, by whichever clock says more: one of them stands still while a machine sleeps.
    fn age(&self, clock: &Clock) -> Duration {
        let (instant, time) = *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        instant.elapsed().max((clock.now() - time).to_std().unwrap_or_default())
    }

    fn confirm(&self, at: (Instant, Timestamp)) {
        *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// Extends the claim for as long as it is held; returns when it is lost.
pub(super) async fn keep(context: &JobContext) {
    loop {
        until_due(context).await;
        match beat(context).await {
            Ok(true) => {}
            Err(error) if context.lease.age(context.clock()) < LEASE => {
                tracing::warn!(job.id = %context.id(), %error, "heartbeat failed, trying again");
                tokio::time::sleep(LOOK).await;
            }
            Ok(false) | Err(_) => return,
        }
    }
}

async fn until_due(context: &JobContext) {
    let lease = &context.lease;
    loop {
        let undelivered = lease.undelivered.is_cancelled();
        let every = if undelivered { LOOK } else { HEARTBEAT };
        let left = every.saturating_sub(lease.age(context.clock()));
        if left.is_zero() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(left.min(LOOK)) => {}
            () = lease.undelivered.cancelled(), if !undelivered => return,
        }
    }
}

/// Extends the claim; false when it is lost.
async fn beat(context: &JobContext) -> Result<bool, DbErr> {
    // What counts is when it was asked for, not when the answer was seen.
    let (asked, now) = (Instant::now(), context.now());
    let beating = lifecycle::heartbeat(context.database().write(), context.claim(), now + LEASE);
    let late = |_| DbErr::Custom("the database did not answer a heartbeat in time".to_owned());
    match tokio::time::timeout(HEARTBEAT, beating).await.map_err(late)?? {
        Heartbeat::Held { cancel_requested } => {
            context.lease.confirm((asked, now));
            if cancel_requested {
                context.cancel.cancel();
            }
            Ok(true)
        }
        Heartbeat::Lost => Ok(false),
    }
}

/// Polls the run only while its claim is beyond doubt; [`keep`], polled beside it, clears the doubt.
pub(super) async fn only_while_held<F: Future>(context: &JobContext, run: F) -> F::Output {
    let mut run = pin!(run);
    std::future::poll_fn(|task| if in_doubt(context) { Poll::Pending } else { run.as_mut().poll(task) }).await
}

fn in_doubt(context: &JobContext) -> bool {
    context.lease.age(context.clock()) >= DOUBT
}

impl JobContext {
    /// To be awaited right before each step that changes something outside: says whether the job was cancelled, or is
    /// another worker's by now.
    pub async fn before_effect(&self) -> Result<(), JobError> {
        runtime::fail_point("before_effect", self.kind()).await;
        if in_doubt(self) || self.lease.undelivered.is_cancelled() {
            return self.confirm_claim().await;
        }
        self.check_cancelled()
    }

    /// Like [`before_effect`](Self::before_effect), before a step that must not be taken twice: asks the database in
    /// any case.
    pub async fn before_single_effect(&self) -> Result<(), JobError> {
        runtime::fail_point("before_effect", self.kind()).await;
        self.confirm_claim().await
    }

    async fn confirm_claim(&self) -> Result<(), JobError> {
        match beat(self).await {
            Ok(true) => self.check_cancelled(),
            Ok(false) => Err(JobError::LeaseLost),
            Err(_) if self.lease.age(self.clock()) >= LEASE => Err(JobError::LeaseLost),
            Err(error) => Err(error.into()),
        }
    }

    /// An earlier run was broken off a moment ago: what it asked for last may still be under way somewhere.
    pub fn took_over(&self) -> bool {
        self.job.losses > 0
    }
}
