//! Writes the end of a run, in one transaction with its consequences: audit entries, the parent's progress, the next
//! chunks, the parent's own end, the next jobs of its guild. Then it sends the answer, then the messages.

use std::time::Duration;

use entities::audit_entry::NewEntry;
use entities::job::family::{self, Planned, Steps};
use entities::job::run::{self, Ending, Requeue};
use entities::job::{Class, Failure, JobMessage, Known, Model, deliveries, rescue, turns};
use runtime::{Event, fail_point};
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Value, json};

use super::batch::Finisher;
use super::children::{after_child, fan_out, settle};
use super::context::JobContext;
use super::outcome::{JobError, Outcome};
use crate::backoff::{backoff, jitter};
use crate::{Answer, Queue};

/// Attempts of the completing transaction. After them the run counts as one without a result.
const WRITE_ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The label of an outcome in metrics and the log.
pub(super) fn outcome(result: &Result<Outcome, JobError>) -> &'static str {
    match result {
        Ok(Outcome::Done { .. }) => "succeeded",
        Ok(Outcome::Yield) => "yielded",
        Ok(Outcome::FanOut { .. }) => "fanned_out",
        Err(JobError::Retry(_) | JobError::RetryIn(..)) => "retried",
        Err(JobError::Snooze(..)) => "snoozed",
        Err(JobError::Fail(_)) => "failed",
        Err(JobError::Cancelled) => "cancelled",
        Err(JobError::ClaimLost) => "claim_lost",
    }
}

/// A claimed job at the end of its run, with its progress. Its methods return false if the claim is lost: then no
/// row was written.
pub(crate) struct Complete<'a> {
    queue: &'a Queue,
    job: &'a Model,
    known: Known,
    /// Steps done and failed that are not yet in its parent's progress.
    unsaved: Steps,
    /// For a chunk: its addition to its parent's result.
    counters: Option<Value>,
    reply_to: Option<&'a str>,
    /// The class in which it was enqueued, to which it returns from quarantine.
    class: Option<Class>,
}

impl<'a> Complete<'a> {
    pub(super) fn of_run(context: &'a JobContext, class: Class, reply_to: Option<&'a str>) -> Self {
        Self {
            queue: context.queue(),
            job: context.row(),
            known: context.known(),
            unsaved: context.unsaved(),
            counters: context.counters(),
            reply_to,
            class: Some(class),
        }
    }

    /// For a run without a task: only its row is known.
    pub(crate) fn of_row(queue: &'a Queue, job: &'a Model) -> Self {
        let counters = job.result.clone().filter(|_| job.parent_id.is_some());
        let (known, reply_to) = (job.known(), job.reply_to.as_deref());
        Self { queue, job, known, unsaved: Steps::default(), counters, reply_to, class: None }
    }

    pub(super) async fn run_ended(&self, result: Result<Outcome, JobError>, finisher: &Finisher) {
        if matches!(result, Err(JobError::ClaimLost)) {
            tracing::warn!("the claim is lost: dropped");
            return;
        }
        let mut pause = FIRST_PAUSE;
        for _ in 0..WRITE_ATTEMPTS {
            match self.write(&result, finisher).await {
                Ok(true) => return,
                Ok(false) => {
                    tracing::warn!("the claim was lost before the end was written: dropped");
                    return;
                }
                Err(error) => {
                    runtime::warn_throttled!(%error, "cannot write the end of a run, trying again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        tracing::error!("gave up writing the end of a run: the job will run again");
    }

    /// One attempt.
    pub(super) async fn write(
        &self,
        result: &Result<Outcome, JobError>,
        finisher: &Finisher,
    ) -> Result<bool, DbErr> {
        match result {
            Ok(Outcome::Done { result, audit }) if audit.is_empty() && self.is_plain() => {
                if !finisher.succeed(self.job.claim(), result.clone()).await? {
                    return Ok(false);
                }
                self.reply(Some(Answer::Succeeded(result.clone()))).await;
                Ok(true)
            }
            Ok(Outcome::Done { result, audit }) => {
                Box::pin(self.end_with(Ending::Succeeded(result.clone()), audit)).await
            }
            Ok(Outcome::Yield) => Box::pin(self.requeue(Requeue::default())).await,
            Ok(Outcome::FanOut { chunks, counters, checkpoint }) => {
                let (counters, checkpoint) = (counters.clone(), checkpoint.clone());
                let planned = Planned { counters, checkpoint, known: self.known };
                Box::pin(fan_out(self.queue, self.job, chunks, planned)).await
            }
            Err(JobError::Retry(failure)) => Box::pin(self.retry(failure, backoff(self.job.attempt))).await,
            Err(JobError::RetryIn(failure, pause)) => Box::pin(self.retry(failure, jitter(*pause))).await,
            Err(JobError::Snooze(failure, after)) => {
                let how = Requeue { wait: jitter(*after), failure: Some(failure), ..Requeue::default() };
                Box::pin(self.requeue(how)).await
            }
            Err(JobError::Fail(failure)) => self.end(Ending::Failed(failure.clone())).await,
            Err(JobError::Cancelled) => self.end(Ending::Cancelled).await,
            Err(JobError::ClaimLost) => Ok(false),
        }
    }

    /// Its end writes only its own row.
    fn is_plain(&self) -> bool {
        self.job.parent_id.is_none() && self.known.progress.total == 0
    }

    /// Another attempt after a pause, or the end of a job without remaining attempts.
    pub(super) async fn retry(&self, failure: &Failure, wait: Duration) -> Result<bool, DbErr> {
        if self.job.attempt >= self.job.max_attempts {
            return self.end(Ending::Dead(failure.clone())).await;
        }
        let Failure { error, message, .. } = failure;
        tracing::warn!(error, reason = message, again_in_s = wait.as_secs(), "an attempt failed");
        self.requeue(Requeue { wait, burn: true, failure: Some(failure), ..Requeue::default() }).await
    }

    /// Requeues the job. A cancelled job ends instead.
    async fn requeue(&self, how: Requeue<'_>) -> Result<bool, DbErr> {
        let wait = how.wait;
        let how = Requeue { class: self.class, reply_to: self.reply_to, ..how };
        let now = self.queue.clock.now();
        let transaction = self.queue.database.begin().await?;
        let Some(row) = run::requeue(&transaction, self.job, how, now).await? else {
            drop(transaction);
            return self.end(Ending::Cancelled).await;
        };
        self.leave(transaction, row.message(), wait).await
    }

    /// Requeues the job after its process died.
    pub(crate) async fn crashed(&self, failure: &Failure, wait: Duration) -> Result<bool, DbErr> {
        let transaction = self.queue.database.begin().await?;
        let now = self.queue.clock.now();
        match rescue::requeue(&transaction, self.job, failure, wait, now).await? {
            Some(row) => self.leave(transaction, row.message(), wait).await,
            None => Ok(false),
        }
    }

    async fn leave(
        &self,
        transaction: runtime::Transaction,
        message: JobMessage,
        wait: Duration,
    ) -> Result<bool, DbErr> {
        // A job that continues at once keeps its place.
        let released = if wait.is_zero() { Vec::new() } else { self.release(&transaction).await? };
        transaction.commit().await?;
        self.queue.publish_after(message, wait);
        self.queue.publish(released);
        Ok(true)
    }

    /// The next jobs of its guild.
    async fn release<C: ConnectionTrait>(&self, conn: &C) -> Result<Vec<JobMessage>, DbErr> {
        let Some(guild) = self.job.guild_id else { return Ok(Vec::new()) };
        let class = self.job.class;
        turns::release(conn, guild, class, turns::share(class), self.queue.clock.now()).await
    }

    pub(crate) async fn end(&self, ending: Ending) -> Result<bool, DbErr> {
        Box::pin(self.end_with(ending, &[])).await
    }

    async fn end_with(&self, ending: Ending, audit: &[NewEntry]) -> Result<bool, DbErr> {
        let mut work = self.queue.begin().await?;
        let now = work.now();
        // Lock the parent's row first: all transactions that lock both use this order.
        let parent = match self.job.parent_id {
            Some(parent) => family::add_progress(work.tx(), parent, self.last_steps(&ending), now).await?,
            None => None,
        };
        let ended = run::end(work.tx(), self.job, &ending, self.known, now).await?;
        let Some(row) = ended else { return Ok(false) };
        for entry in audit {
            work.audit(self.job.actor(), entry.clone());
        }
        work.audit_own(self.trouble(&ending));
        let stopped = match parent {
            Some(parent) => after_child(work.tx(), parent, &ending, self.counters.as_ref(), now).await?,
            None => settle(work.tx(), row.clone(), now).await?.running,
        };
        let released = self.release(work.tx()).await?;
        work.publish(released);
        work.announce((!stopped.is_empty()).then_some(Event::JobsCancelled { jobs: stopped }));
        fail_point("before_commit", &self.job.kind).await;
        let released = work.commit().await?;
        log(&ending);
        self.reply(Answer::of(&row)).await;
        self.queue.publish(released);
        Ok(true)
    }

    /// An entry for the guild where a job could not be done. Chunks are counted by their parent, and an entry about a job
    /// that delivers entries would be delivered in turn.
    fn trouble(&self, ending: &Ending) -> Option<NewEntry> {
        let guild = self.job.guild_id.filter(|_| self.job.parent_id.is_none())?;
        let failure = ending.failure().filter(|_| !deliveries::delivers_the_log(&self.job.kind))?;
        let is_ours = matches!(ending, Ending::Dead(_)) || failure.status >= 500;
        is_ours.then(|| NewEntry {
            guild,
            action: "job.failed",
            target: self.job.job_id.to_string(),
            metadata: json!({ "kind": self.job.kind, "error": failure.error, "message": failure.message }),
        })
    }

    async fn reply(&self, answer: Option<Answer>) {
        fail_point("after_commit", &self.job.kind).await;
        if let (Some(answer), Some(reply_to)) = (answer, self.reply_to) {
            self.queue.broker.reply(reply_to, self.job.job_id, answer).await;
        }
    }

    /// A child's addition to its parent's progress at its end. Remaining steps count as failed, unless the child was
    /// cancelled: then they are not counted.
    fn last_steps(&self, ending: &Ending) -> Steps {
        let Steps { done, failed } = self.unsaved;
        let Known { progress, .. } = self.known;
        let left = if ending.failure().is_some() { progress.total - progress.done } else { 0 };
        Steps { done: done + left, failed: failed + left }
    }
}

/// Of a failed run that ends the job. A request that could not be fulfilled is no trouble of ours.
fn log(ending: &Ending) {
    match ending {
        Ending::Dead(Failure { error, message, .. }) => {
            tracing::warn!(error, reason = message, "a job is dead: no attempt is left");
        }
        Ending::Failed(Failure { error, message, status, .. }) if *status < 500 => {
            tracing::info!(error, reason = message, "a job failed");
        }
        Ending::Failed(Failure { error, message, .. }) => {
            tracing::warn!(error, reason = message, "a job failed");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::outcome::failure;

    #[test]
    fn every_outcome_has_its_label() {
        let failed = || failure(500, "x", "y");
        let fan_out = Outcome::FanOut { chunks: vec![], counters: json!({}), checkpoint: json!({}) };
        for (result, label) in [
            (Ok(Outcome::done(json!({}))), "succeeded"),
            (Ok(Outcome::Yield), "yielded"),
            (Ok(fan_out), "fanned_out"),
            (Err(JobError::Retry(failed())), "retried"),
            (Err(JobError::RetryIn(failed(), FIRST_PAUSE)), "retried"),
            (Err(JobError::Snooze(failed(), FIRST_PAUSE)), "snoozed"),
            (Err(JobError::Fail(failed())), "failed"),
            (Err(JobError::Cancelled), "cancelled"),
            (Err(JobError::ClaimLost), "claim_lost"),
        ] {
            assert_eq!(outcome(&result), label);
        }
    }
}
