//! One delivery from claim to settlement: run the handler beside its heartbeat, then write how it ended.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use entities::job::{Model, loss};
use futures_util::FutureExt;
use runtime::fail_point;
use sea_orm::DbErr;
use tokio::sync::OwnedSemaphorePermit;

use super::handler::{AnyHandler, JobError, Outcome, failure};
use super::lease::{self, Lease};
use super::pool::Pool;
use super::watchdog;
use super::{JobContext, LEASE};
use crate::broker::Delivery;
use crate::settle::{self, Verdict};

/// The pause before a message is put back that could not be looked at for want of the database.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// What is to become of the message.
pub(super) enum Settled {
    /// The row says all there is to say.
    Done,
    /// It is for somebody else, or for later.
    NotLookedAt,
}

pub(super) struct Run<'a> {
    pool: &'a Arc<Pool>,
}

impl<'a> Run<'a> {
    pub(super) fn new(pool: &'a Arc<Pool>) -> Self {
        Self { pool }
    }

    pub(super) async fn settle(self, delivery: &Delivery) -> Settled {
        let ticket = &delivery.ticket;
        let Some(handler) = self.pool.registry.find(&ticket.kind) else {
            tracing::warn!(job.id = %ticket.job, job.kind = ticket.kind, "unknown kind of job: it stays queued");
            metrics::counter!("guildhall_jobs_unknown_total", "kind" => ticket.kind.clone()).increment(1);
            return Settled::Done;
        };
        let asked = (Instant::now(), self.pool.queue.clock.now());
        let mut gate = None;
        match self.claim(delivery, &mut gate).await {
            Ok(Some(job)) => {
                fail_point("after_claim", &ticket.kind).await;
                let lease = Lease::new(delivery.lost.clone(), asked);
                let context = JobContext::new(job, self.pool.queue.clone(), lease);
                self.execute(context, handler, ticket.reply_to.as_deref()).await;
                fail_point("before_ack", &ticket.kind).await;
                Settled::Done
            }
            Ok(None) => Settled::Done,
            Err(error) => {
                tracing::warn!(job.id = %ticket.job, %error, "cannot claim a job, putting its message back");
                tokio::time::sleep(DATABASE_PAUSE).await;
                Settled::NotLookedAt
            }
        }
    }

    /// `None`: there is nothing to run. A suspect is claimed only where none runs yet; `gate` keeps others out.
    async fn claim(
        &self,
        delivery: &Delivery,
        gate: &mut Option<OwnedSemaphorePermit>,
    ) -> Result<Option<Model>, DbErr> {
        let (queue, ticket) = (&self.pool.queue, &delivery.ticket);
        if delivery.redelivered && !queue.take_over(ticket).await? {
            return Ok(None);
        }
        if let Some(job) = self.pool.claimer.claim(ticket.job).await? {
            return Ok(Some(job));
        }
        if !loss::is_queued_suspect(queue.database.read(), ticket.job).await? {
            return Ok(None);
        }
        *gate = self.pool.gate.pass();
        if gate.is_none() {
            queue.put_aside(ticket.job).await?;
            return Ok(None);
        }
        let now = queue.clock.now();
        let times = (now, now + LEASE);
        loss::claim_suspect(queue.database.write(), ticket.job, &self.pool.name, times).await
    }

    async fn execute(&self, context: JobContext, handler: Arc<dyn AnyHandler>, reply_to: Option<&str>) {
        let started = Instant::now();
        observe_wait(&context.job, context.now());
        self.pool.on_cancel(context.id(), context.cancel.clone());
        let run = self.pool.watchdog.watch(&context, handler.time_limit());
        let verdict = AssertUnwindSafe(supervise(&context, handler.as_ref())).catch_unwind().await;
        drop(run);
        let verdict = verdict.unwrap_or_else(|_panic| {
            tracing::error!(job.id = %context.id(), job.kind = context.job.kind, "a job panicked");
            let message = "the job broke off: a bug, see the log";
            Verdict::from_error(JobError::Retry(failure(500, "panic", message)))
        });
        fail_point("after_effect", &context.job.kind).await;
        let outcome = verdict.name();
        settle::settle(&context, verdict, (reply_to, &self.pool.finisher)).await;
        let kind = context.job.kind.clone();
        let duration = started.elapsed();
        tracing::debug!(
            job.id = %context.id(), job.kind = kind, job.attempt = context.attempt(), outcome,
            duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), "job run ended"
        );
        metrics::counter!("guildhall_jobs_total", "kind" => kind.clone(), "outcome" => outcome).increment(1);
        metrics::histogram!("guildhall_job_run_seconds", "kind" => kind).record(duration.as_secs_f64());
    }
}

fn observe_wait(job: &Model, now: entities::Timestamp) {
    let waited = job.run_at.map_or(TimeDelta::zero(), |run_at| now - run_at);
    let seconds = waited.to_std().unwrap_or_default().as_secs_f64();
    metrics::histogram!("guildhall_job_wait_seconds", "class" => job.class.name()).record(seconds);
}

/// Runs the handler until it ends, loses its lease, outlasts its limit, or the process is cut.
async fn supervise(context: &JobContext, handler: &dyn AnyHandler) -> Verdict {
    let hard = context.queue.shutdown.hard().clone();
    let run = async {
        let run = handler.run(context);
        if context.job.is_suspect() { watchdog::apart(run).await } else { run.await }
    };
    tokio::select! {
        biased;
        () = lease::keep(context) => Verdict::LeaseLost,
        ended = lease::only_while_held(context, run) => match ended {
            Ok(outcome) => Verdict::from_outcome(outcome),
            Err(error) => Verdict::from_error(error),
        },
        () = tokio::time::sleep(handler.time_limit()) => {
            let limit = handler.time_limit().as_secs();
            let message = format!("the job did not end within {limit} s");
            Verdict::from_error(JobError::Retry(failure(503, "timed_out", message)))
        },
        () = hard.cancelled() => Verdict::Cut,
    }
}

impl Verdict {
    fn from_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done { result, audit } => Self::Done { result, audit },
            Outcome::Yield => Self::Yield,
            Outcome::Split { chunks, counters, checkpoint } => Self::Split { chunks, counters, checkpoint },
        }
    }

    fn from_error(error: JobError) -> Self {
        match error {
            JobError::Retry(failure) => Self::Retry(failure, None),
            JobError::RetryAfter(failure, after) => Self::Retry(failure, Some(after)),
            JobError::Fail(failure) => Self::Fail(failure),
            JobError::Cancelled => Self::Cancelled,
            JobError::LeaseLost => Self::LeaseLost,
        }
    }
}
