//! Writing how a run ended, in one transaction with all that follows from it: audit entries, the parent's progress,
//! the next chunks, the parent's own end. Then the answer, then the next rings.

mod parent;

use std::time::Duration;

use entities::audit_entry::{self, NewEntry};
use entities::job::lifecycle::{self, Ending};
use entities::job::{Failure, Model, Ticket, family};
use entities::{JobId, Timestamp};
pub(crate) use parent::finish_parent_if_last;
use parent::{after_child, split};
use runtime::{Event, fail_point};
use sea_orm::DbErr;
use serde_json::Value;

use crate::run::{Finisher, JobContext};
use crate::{Answer, Draft, Queue, ladder};

/// Tries of the settling transaction; after them the lease runs out and the job is run again.
const TRIES: u32 = 5;

pub(crate) enum Verdict {
    Done {
        result: Value,
        audit: Vec<NewEntry>,
    },
    Yield,
    Split {
        chunks: Vec<Draft>,
        counters: Value,
        checkpoint: Value,
    },
    Retry(Failure, Option<Duration>),
    Fail(Failure),
    Cancelled,
    LeaseLost,
    /// The process is being ended: give the job back unharmed.
    Cut,
}

impl Verdict {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Done { .. } => "succeeded",
            Self::Yield => "yielded",
            Self::Split { .. } => "split",
            Self::Retry(..) => "retried",
            Self::Fail(_) => "failed",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease_lost",
            Self::Cut => "cut",
        }
    }
}

/// What is to be done once the transaction is committed.
#[derive(Default)]
struct Aftermath {
    answer: Option<Answer>,
    ring: Vec<Ticket>,
    /// Running chunks to be told that their parent was stopped.
    stop: Vec<JobId>,
}

pub(crate) async fn settle(
    context: &JobContext,
    verdict: Verdict,
    (reply_to, finisher): (Option<&str>, &Finisher),
) {
    if matches!(verdict, Verdict::LeaseLost) {
        tracing::warn!(job.id = %context.id(), "another worker has taken this job over: dropped");
        return;
    }
    let queue = context.queue();
    for attempt in 0..TRIES {
        let written = write(context, &verdict, (reply_to, finisher));
        match queue.database.in_time(written).await {
            Ok(Some(aftermath)) => return follow_up(queue, context, aftermath, reply_to).await,
            Ok(None) => {
                tracing::warn!(job.id = %context.id(), "the lease was lost before the end was written: dropped");
                return;
            }
            Err(error) => {
                tracing::warn!(job.id = %context.id(), %error, "cannot write how a job ended, trying again");
                tokio::time::sleep(Duration::from_millis(200) * 2_u32.pow(attempt)).await;
            }
        }
    }
    tracing::error!(job.id = %context.id(), "giving up on writing how a job ended: it will be run again");
}

async fn follow_up(queue: &Queue, context: &JobContext, aftermath: Aftermath, reply_to: Option<&str>) {
    if let (Some(answer), Some(reply_to)) = (aftermath.answer, reply_to) {
        queue.broker.reply(reply_to, context.id(), answer).await;
    }
    for job in aftermath.stop {
        queue.events.publish(Event::JobCancelled { job });
    }
    queue.publish(aftermath.ring);
}

/// `None`: the claim is not the newest any more, and nothing was written.
async fn write(
    context: &JobContext,
    verdict: &Verdict,
    (reply_to, finisher): (Option<&str>, &Finisher),
) -> Result<Option<Aftermath>, DbErr> {
    let now = context.now();
    match verdict {
        Verdict::Done { result, audit } if audit.is_empty() && context.is_plain() => {
            let hit = finisher.succeed(context.claim(), result.clone()).await?;
            let answer = Some(Answer::Succeeded(result.clone()));
            Ok(hit.then(|| Aftermath { answer, ..Aftermath::default() }))
        }
        Verdict::Done { result, audit } => end(context, Ending::Succeeded(result.clone()), audit, now).await,
        Verdict::Fail(failure) => end(context, Ending::Failed(failure.clone()), &[], now).await,
        Verdict::Cancelled => end(context, Ending::Cancelled, &[], now).await,
        Verdict::Retry(failure, _) if context.attempt() >= context.max_attempts() => {
            end(context, Ending::Dead(failure.clone()), &[], now).await
        }
        Verdict::Retry(failure, after) => {
            let pause = after.unwrap_or_else(|| ladder::pause(context.attempt()));
            let conn = context.database().write();
            if lifecycle::retry(conn, context.row(), (failure, reply_to), (now, pause)).await? {
                return Ok(Some(Aftermath::default()));
            }
            // Somebody asked for a cancel while it ran, so this was the last try; or the claim is lost, then nothing hits.
            end(context, Ending::Cancelled, &[], now).await
        }
        Verdict::Yield | Verdict::Cut => {
            let conn = context.database().write();
            let row = lifecycle::give_back(conn, context.claim(), now, reply_to).await?;
            Ok(row.map(|row| Aftermath { ring: vec![row.ticket()], ..Aftermath::default() }))
        }
        Verdict::Split { chunks, counters, checkpoint } => {
            Box::pin(split(context, (chunks, counters, checkpoint), now)).await
        }
        Verdict::LeaseLost => Ok(None),
    }
}

/// Boxed: it is large, and plain ends, which are most, do without it.
async fn end(
    context: &JobContext,
    ending: Ending,
    audit: &[NewEntry],
    now: Timestamp,
) -> Result<Option<Aftermath>, DbErr> {
    Box::pin(end_in_one(context, ending, audit, now)).await
}

async fn end_in_one(
    context: &JobContext,
    ending: Ending,
    audit: &[NewEntry],
    now: Timestamp,
) -> Result<Option<Aftermath>, DbErr> {
    let transaction = context.database().begin().await?;
    let mut aftermath = Aftermath::default();
    let parent = match context.parent() {
        Some(parent) => {
            let steps = last_progress(context, &ending);
            family::add_progress(&transaction, parent, steps, now).await?
        }
        None => None,
    };
    let progress = Some(context.progress()).filter(|progress| progress.total > 0);
    if !lifecycle::finish(&transaction, context.row(), &ending, progress, now).await? {
        return Ok(None);
    }
    for entry in audit {
        audit_entry::write(&transaction, &context.actor(), entry.clone(), now).await?;
    }
    if let Some(parent) = parent {
        let counters = context.counters();
        after_child(&transaction, &parent, (&ending, counters), (now, &mut aftermath)).await?;
    }
    fail_point("before_commit", context.kind()).await;
    transaction.commit().await?;
    aftermath.answer = Some(match ending {
        Ending::Succeeded(result) => Answer::Succeeded(result),
        Ending::Failed(failure) | Ending::Dead(failure) => Answer::Failed(failure),
        Ending::Cancelled => Answer::Cancelled,
    });
    Ok(Some(aftermath))
}

/// What a child adds to its parent's progress at its end. Steps it will never take count as failed, unless it was
/// cancelled: then they were not taken at all.
fn last_progress(context: &JobContext, ending: &Ending) -> (i64, i64) {
    let (done, failed) = context.unsaved();
    let progress = context.progress();
    let left = progress.total - progress.done;
    if ending.failure().is_some() { (done + left, failed + left) } else { (done, failed) }
}

/// Ends a job whose lease ran out for the last time, as its own run would have.
pub(crate) async fn end_expired(queue: &Queue, job: &Model, ending: Ending) -> Result<bool, DbErr> {
    let context = JobContext::for_ending(job.clone(), queue.clone());
    let Some(aftermath) = end(&context, ending, &[], queue.clock.now()).await? else { return Ok(false) };
    follow_up(queue, &context, aftermath, job.reply_to.as_deref()).await;
    Ok(true)
}
