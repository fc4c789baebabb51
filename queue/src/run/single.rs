//! One claimed job from its first step to its end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use chrono::TimeDelta;
use entities::Timestamp;
use entities::job::{Class, Model};
use futures_util::FutureExt;
use runtime::fail_point;
use runtime::telemetry::traces;
use tracing::{Instrument, Span};

use super::complete::{self, Complete};
use super::context::{self, JobContext};
use super::handler::AnyHandler;
use super::outcome::{JobError, Outcome, failure};
use super::pool::Pool;
use super::registration::Registration;
use super::{span, watchdog};
use crate::broker::Delivery;

/// A job that this process may run, and the registration it was claimed under.
pub(super) struct Claimed {
    pub(super) job: Model,
    pub(super) registration: Arc<Registration>,
    /// `None` if the safety net claimed it.
    pub(super) delivery: Option<Delivery>,
}

pub(super) async fn run(pool: &Pool, claimed: Claimed) {
    let span = span::of(&claimed.job);
    run_to_its_end(pool, claimed).instrument(span).await;
}

async fn run_to_its_end(pool: &Pool, claimed: Claimed) {
    let Claimed { job, registration, delivery } = claimed;
    let Some(handler) = pool.registry.find(&job.kind) else { return };
    fail_point("after_claim", &job.kind).await;
    let reply_to =
        delivery.map_or_else(|| job.reply_to.clone(), |delivery| delivery.message.reply_to.clone());
    fail_point("after_ack", &job.kind).await;
    let started = Instant::now();
    observe_wait(&job, pool.queue.clock.now());
    let context = JobContext::new(job, pool.queue.clone(), registration);
    let entered = pool.running.enter(&context.claim(), context.cancelled().clone());
    let Some(_running) = entered else { return };
    let watched = pool.watchdog.watch(&context, handler.time_limit());
    let result = AssertUnwindSafe(supervise(&context, handler.as_ref())).catch_unwind().await;
    drop(watched);
    let result = result.unwrap_or_else(|_panic| {
        tracing::error!("a job panicked");
        Err(JobError::Retry(failure(500, "panic", "the job panicked: a bug, see the log")))
    });
    fail_point("after_effect", context.kind()).await;
    let outcome = complete::outcome(&result);
    traces::set(&Span::current(), "job.outcome", outcome);
    if let Err(JobError::Retry(failure) | JobError::Fail(failure)) = &result {
        traces::fail(&Span::current(), failure.error.clone());
    }
    let class = handler.class(&context);
    Complete::of_run(&context, class, reply_to.as_deref()).run_ended(result, &pool.finisher).await;
    let duration = started.elapsed();
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(outcome, duration_ms, "job run ended");
    metrics::histogram!(
        "messaging_process_duration_seconds",
        "messaging_system" => "guildhall",
        "messaging_operation_name" => "run",
        "messaging_destination_name" => context.row().class.name(),
        "kind" => context.kind().to_owned(),
        "outcome" => outcome,
    )
    .record(duration);
}

fn observe_wait(job: &Model, now: Timestamp) {
    let waited = (now - job.run_at).max(TimeDelta::zero()).to_std().unwrap_or_default();
    metrics::histogram!("guildhall_job_wait_seconds", "class" => job.class.name())
        .record(waited.as_secs_f64());
}

/// Runs the handler until it ends, its claim is void, it exceeds its time limit, or the process is cut.
async fn supervise(context: &JobContext, handler: &dyn AnyHandler) -> Result<Outcome, JobError> {
    let hard = context.queue().shutdown.hard().clone();
    let run = async {
        let run = handler.run_job(context);
        if context.row().class == Class::Quarantine { watchdog::apart(run).await } else { run.await }
    };
    tokio::select! {
        biased;
        () = context.registration().voided() => Err(JobError::ClaimLost),
        ended = context::while_confirmed(context, run) => ended,
        () = tokio::time::sleep(handler.time_limit()) => {
            let message = format!("the job did not end within {} s", handler.time_limit().as_secs());
            Err(JobError::Retry(failure(503, "timed_out", message)))
        },
        // The process is ending: the job is requeued without a burned attempt.
        () = hard.cancelled() => Ok(Outcome::Yield),
    }
}
