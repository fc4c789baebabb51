//! What a settled run means for its family: the parent's counters, the next chunks, the parent's own end.

use entities::Timestamp;
use entities::audit_entry::{self, NewEntry};
use entities::job::lifecycle::Ending;
use entities::job::{Model, State, cancel, family};
use sea_orm::{DatabaseTransaction, DbErr};
use serde_json::{Value, json};

use super::Aftermath;
use crate::Draft;
use crate::run::JobContext;

/// Chunks of one guild in the queue or running at a time, so that guilds take turns (design 4).
const WINDOW: u64 = 2;
/// The first chunk goes alone: where its guild has lost the right to be changed, nothing else needs to find out.
const FIRST: u64 = 1;

/// What the end of a child means for its family. The parent's row is locked by the caller's progress update.
pub(super) async fn after_child(
    transaction: &DatabaseTransaction,
    parent: &Model,
    (ending, counters): (&Ending, Option<Value>),
    (now, aftermath): (Timestamp, &mut Aftermath),
) -> Result<(), DbErr> {
    let mut parent = parent.clone();
    // Also of a chunk that did not succeed: what it did is done.
    let own = if let Ending::Succeeded(result) = ending { Some(result) } else { counters.as_ref() };
    if let Some(own) = own {
        let sum = add_counters(parent.result.take(), own);
        family::save_counters(transaction, parent.job_id, sum).await?;
    }
    if let Some(failure) = ending.failure() {
        let stop = matches!(ending, Ending::Failed(_));
        family::note_failure(transaction, parent.job_id, failure, stop).await?;
        parent.error = serde_json::to_value(failure).ok();
        if stop {
            aftermath.stop = cancel::stop_children(transaction, parent.job_id, now).await?;
        }
    }
    // A chunk that is dead stops nobody else; one that cannot succeed, or a cancelled parent, does.
    if !parent.cancel_requested && !matches!(ending, Ending::Failed(_)) {
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

/// A plan is made: its chunks are in, and the first of them may run.
pub(super) async fn split(
    context: &JobContext,
    (chunks, counters, checkpoint): (&[Draft], &Value, &Value),
    now: Timestamp,
) -> Result<Option<Aftermath>, DbErr> {
    let transaction = context.database().begin().await?;
    context.insert_chunks(&transaction, chunks.to_vec()).await?;
    let reached = (checkpoint.clone(), context.progress());
    if !family::wait_for_children(&transaction, context.claim(), counters.clone(), reached, now).await? {
        return Ok(None);
    }
    let mut aftermath = Aftermath::default();
    let parent = family::add_progress(&transaction, context.id(), (0, 0), now).await?;
    if let Some(parent) = parent {
        if parent.cancel_requested {
            cancel::stop_children(&transaction, parent.job_id, now).await?;
        } else {
            aftermath.ring = family::release_chunks(&transaction, parent.job_id, FIRST, now).await?;
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
