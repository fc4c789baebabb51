//! Writing how a run ended, in one transaction with all that follows from it: audit entries, the parent's progress,
//! the next chunks, the parent's own end. Then the answer, then the next rings.

use std::time::Duration;

use entities::audit_entry::{self, NewEntry};
use entities::job::lifecycle::{self, Ending, Held};
use entities::job::{Failure, Model, State, Ticket, cancel, family};
use entities::{JobId, Timestamp};
use runtime::Event;
use sea_orm::{DatabaseTransaction, DbErr};
use serde_json::{Value, json};

use crate::run::{Finisher, JobContext};
use crate::{Answer, Draft, Queue, ladder};

/// Chunks of one guild in the queue or running at a time, so that guilds take turns (design 4).
const WINDOW: u64 = 2;
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
    Exhausted(Failure),
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
            Self::Exhausted(_) => "dead",
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
        match write(context, &verdict, (reply_to, finisher)).await {
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
        Verdict::Exhausted(failure) => end(context, Ending::Dead(failure.clone()), &[], now).await,
        Verdict::Cancelled => end(context, Ending::Cancelled, &[], now).await,
        Verdict::Retry(failure, _) if context.attempt() >= context.max_attempts() => {
            end(context, Ending::Dead(failure.clone()), &[], now).await
        }
        Verdict::Retry(failure, after) => {
            let pause = after.unwrap_or_else(|| ladder::pause(context.attempt()));
            let held = context.claim();
            let conn = context.database().write();
            if lifecycle::retry(conn, held, now + pause, (failure, reply_to)).await? {
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
            split(context, (chunks, counters, checkpoint), now).await
        }
        Verdict::LeaseLost => Ok(None),
    }
}

async fn end(
    context: &JobContext,
    ending: Ending,
    audit: &[NewEntry],
    now: Timestamp,
) -> Result<Option<Aftermath>, DbErr> {
    let transaction = context.database().begin().await?;
    let mut aftermath = Aftermath::default();
    let parent = match context.parent() {
        Some(parent) => family::add_progress(&transaction, parent, last_progress(context, &ending)).await?,
        None => None,
    };
    if !finish_row(&transaction, context, &ending, now).await? {
        return Ok(None);
    }
    for entry in audit {
        audit_entry::write(&transaction, &context.actor(), entry.clone(), now).await?;
    }
    if let Some(parent) = parent {
        after_child(&transaction, &parent, &ending, (now, &mut aftermath)).await?;
    }
    transaction.commit().await?;
    aftermath.answer = Some(match ending {
        Ending::Succeeded(result) => Answer::Succeeded(result),
        Ending::Failed(failure) | Ending::Dead(failure) => Answer::Failed(failure),
        Ending::Cancelled => Answer::Cancelled,
    });
    Ok(Some(aftermath))
}

async fn finish_row(
    transaction: &DatabaseTransaction,
    context: &JobContext,
    ending: &Ending,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let progress = context.progress();
    if progress.total > 0 {
        let checkpoint = context.checkpoint_value();
        let numbers = (progress.done, progress.total, progress.failed);
        if !lifecycle::checkpoint(transaction, context.claim(), checkpoint, numbers).await? {
            return Ok(false);
        }
    }
    lifecycle::finish(transaction, context.claim(), ending, now).await
}

/// What a child adds to its parent's progress at its end. Steps it will never take count as failed, unless it was
/// cancelled: then they were not taken at all.
fn last_progress(context: &JobContext, ending: &Ending) -> (i64, i64) {
    let (done, failed) = context.unsaved();
    let progress = context.progress();
    let left = progress.total - progress.done;
    if ending.failure().is_some() { (done + left, failed + left) } else { (done, failed) }
}

/// What the end of a child means for its family. The parent's row is locked by the caller's progress update.
async fn after_child(
    transaction: &DatabaseTransaction,
    parent: &Model,
    ending: &Ending,
    (now, aftermath): (Timestamp, &mut Aftermath),
) -> Result<(), DbErr> {
    let mut parent = parent.clone();
    if let Ending::Succeeded(result) = ending {
        let counters = add_counters(parent.result.take(), result);
        family::save_counters(transaction, parent.job_id, counters).await?;
    }
    if let Some(failure) = ending.failure() {
        let stop = matches!(ending, Ending::Failed(_));
        family::note_failure(transaction, parent.job_id, failure, stop).await?;
        parent.error = serde_json::to_value(failure).ok();
        if stop {
            aftermath.stop = cancel::stop_children(transaction, parent.job_id, now).await?;
        }
    } else if !parent.cancel_requested {
        aftermath.ring = family::release_chunks(transaction, parent.job_id, WINDOW, now).await?;
    }
    if matches!(ending, Ending::Dead(_)) && !parent.cancel_requested {
        aftermath.ring = family::release_chunks(transaction, parent.job_id, WINDOW, now).await?;
    }
    finish_parent_if_last(transaction, &parent, now).await
}

/// Ends a waiting parent that has no open child left, with an entry in the audit log.
pub(crate) async fn finish_parent_if_last(
    transaction: &DatabaseTransaction,
    parent: &Model,
    now: Timestamp,
) -> Result<(), DbErr> {
    if parent.state != State::Waiting || family::count_open_children(transaction, parent.job_id).await? > 0 {
        return Ok(());
    }
    let Some(ended) = family::finish_parent(transaction, parent, now).await? else { return Ok(()) };
    tracing::info!(
        job.id = %ended.job_id, job.kind = ended.kind, state = ended.state.name(),
        done = ended.progress_done, failed = ended.progress_failed, "bulk job ended"
    );
    let Some(guild) = ended.guild_id else { return Ok(()) };
    let actor = audit_entry::Actor {
        actor_id: ended.actor_id.unwrap_or(0),
        key_id: ended.key_id,
        request_id: ended.request_id.clone(),
    };
    let entry = NewEntry {
        guild,
        action: "job.finished",
        target: ended.job_id.to_string(),
        metadata: json!({ "kind": ended.kind, "state": ended.state, "result": ended.result }),
    };
    audit_entry::write(transaction, &actor, entry, now).await?;
    Ok(())
}

async fn split(
    context: &JobContext,
    (chunks, counters, checkpoint): (&[Draft], &Value, &Value),
    now: Timestamp,
) -> Result<Option<Aftermath>, DbErr> {
    let transaction = context.database().begin().await?;
    let rows = chunks.iter().cloned().map(|chunk| chunk.chunk_of(context.id()).into_row()).collect();
    lifecycle::insert_many(&transaction, rows, now).await?;
    let progress = context.progress();
    let numbers = (progress.done, progress.total, progress.failed);
    let held: Held = context.claim();
    let hit = lifecycle::checkpoint(&transaction, held, checkpoint.clone(), numbers).await?
        && family::wait_for_children(&transaction, held, counters.clone(), checkpoint.clone()).await?;
    if !hit {
        return Ok(None);
    }
    let mut aftermath = Aftermath::default();
    let parent = family::add_progress(&transaction, context.id(), (0, 0)).await?;
    if let Some(parent) = parent {
        if parent.cancel_requested {
            cancel::stop_children(&transaction, parent.job_id, now).await?;
        } else {
            aftermath.ring = family::release_chunks(&transaction, parent.job_id, WINDOW, now).await?;
        }
        finish_parent_if_last(&transaction, &parent, now).await?;
    }
    transaction.commit().await?;
    Ok(Some(aftermath))
}

/// Adds the numbers of a child's result to the parent's.
fn add_counters(parent: Option<Value>, child: &Value) -> Value {
    let mut sum = match parent {
        Some(Value::Object(counters)) => counters,
        _ => serde_json::Map::new(),
    };
    for (name, value) in child.as_object().into_iter().flatten() {
        let Some(number) = value.as_i64() else { continue };
        let before = sum.get(name).and_then(Value::as_i64).unwrap_or(0);
        sum.insert(name.clone(), json!(before + number));
    }
    Value::Object(sum)
}

/// Ends a job whose lease ran out for the last time, as its own run would have.
pub(crate) async fn end_expired(queue: &Queue, job: &Model, ending: Ending) -> Result<bool, DbErr> {
    let context = JobContext::for_ending(job.clone(), queue.clone());
    let Some(aftermath) = end(&context, ending, &[], queue.clock.now()).await? else { return Ok(false) };
    follow_up(queue, &context, aftermath, job.reply_to.as_deref()).await;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_children_add_up_and_texts_are_left_alone() {
        let parent = json!({"members": 500, "updated": 3, "note": "x"});
        let child = json!({"updated": 4, "failed": 1, "word": "y"});
        let sum = add_counters(Some(parent), &child);
        assert_eq!(sum, json!({"members": 500, "updated": 7, "failed": 1, "note": "x"}));
        assert_eq!(add_counters(None, &child), json!({"updated": 4, "failed": 1}));
    }
}
