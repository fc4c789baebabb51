//! One delivery from claim to settlement: run the handler beside its heartbeat, then write how it ended.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use entities::job::Model;
use entities::job::lifecycle::{self, Claim, Heartbeat};
use futures_util::FutureExt;

use super::handler::{AnyHandler, JobError, Outcome, failure};
use super::pool::Pool;
use super::{HEARTBEAT, JobContext, LEASE};
use crate::broker::Delivery;
use crate::settle::{self, Verdict};

/// The pause before a message is put back that could not be looked at for want of the database.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Run<'a> {
    pool: &'a Arc<Pool>,
}

impl<'a> Run<'a> {
    pub(super) fn new(pool: &'a Arc<Pool>) -> Self {
        Self { pool }
    }

    pub(super) async fn settle(self, delivery: Delivery) {
        let ticket = &delivery.ticket;
        let Some(handler) = self.pool.registry.find(&ticket.kind) else {
            tracing::warn!(job.id = %ticket.job, job.kind = ticket.kind, "unknown kind of job: it stays queued");
            metrics::counter!("guildhall_jobs_unknown_total", "kind" => ticket.kind.clone()).increment(1);
            return delivery.done().await;
        };
        match self.claim(&delivery).await {
            Ok(Some(job)) => {
                self.execute(job, handler, ticket.reply_to.as_deref()).await;
                delivery.done().await;
            }
            Ok(None) => delivery.done().await,
            Err(error) => {
                tracing::warn!(job.id = %ticket.job, %error, "cannot claim a job, putting its message back");
                tokio::time::sleep(DATABASE_PAUSE).await;
                delivery.put_back().await;
            }
        }
    }

    async fn claim(&self, delivery: &Delivery) -> Result<Option<Model>, sea_orm::DbErr> {
        if !delivery.redelivered {
            return self.pool.claimer.claim(delivery.ticket.job).await;
        }
        let queue = &self.pool.queue;
        let now = queue.clock.now();
        let claim = Claim {
            job: delivery.ticket.job,
            ticket_lease: delivery.ticket.lease,
            redelivered: true,
            worker: &self.pool.name,
            now,
            lease_until: now + LEASE,
        };
        lifecycle::claim(queue.database.write(), claim).await
    }

    async fn execute(&self, job: Model, handler: Arc<dyn AnyHandler>, reply_to: Option<&str>) {
        let started = Instant::now();
        observe_wait(&job, self.pool.queue.clock.now());
        let context = JobContext::new(job, self.pool.queue.clone());
        self.pool.on_cancel(context.id(), context.cancel.clone());
        let verdict = if context.attempt() > context.job.max_attempts {
            // Every earlier run ended without a word: it took its worker down with it, or hung.
            Verdict::Exhausted(failure(500, "worker_lost", "the job's workers ended without finishing it"))
        } else {
            supervise(&context, handler.as_ref()).await
        };
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

/// Runs the handler until it ends, panics, loses its lease, outlasts its limit, or the process is cut.
async fn supervise(context: &JobContext, handler: &dyn AnyHandler) -> Verdict {
    let hard = context.queue.shutdown.hard().clone();
    let run = AssertUnwindSafe(handler.run(context)).catch_unwind();
    tokio::select! {
        biased;
        ended = run => match ended {
            Ok(Ok(outcome)) => Verdict::from_outcome(outcome),
            Ok(Err(error)) => Verdict::from_error(error),
            Err(_panic) => {
                tracing::error!(job.id = %context.id(), job.kind = context.job.kind, "a job panicked");
                Verdict::from_error(JobError::Retry(failure(500, "panic", "the job broke off: a bug, see the log")))
            }
        },
        () = lose_lease(context) => Verdict::LeaseLost,
        () = tokio::time::sleep(handler.time_limit()) => {
            let limit = handler.time_limit().as_secs();
            let message = format!("the job did not end within {limit} s");
            Verdict::from_error(JobError::Retry(failure(503, "timed_out", message)))
        },
        () = hard.cancelled() => Verdict::Cut,
    }
}

/// Extends the lease for as long as it is held; returns when it is lost.
async fn lose_lease(context: &JobContext) {
    let queue = &context.queue;
    let mut last_success = Instant::now();
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let lease_until = queue.clock.now() + LEASE;
        match lifecycle::heartbeat(queue.database.write(), context.claim(), lease_until).await {
            Ok(Heartbeat::Held { cancel_requested }) => {
                last_success = Instant::now();
                if cancel_requested {
                    context.cancel.cancel();
                }
            }
            Err(error) if last_success.elapsed() < LEASE => {
                tracing::warn!(job.id = %context.id(), %error, "heartbeat failed, trying again");
            }
            Ok(Heartbeat::Lost) | Err(_) => return,
        }
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
