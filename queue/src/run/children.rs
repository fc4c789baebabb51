//! Parents and chunks: the plan that starts chunks, and the effect of a chunk's end on its parent.

use entities::audit_chain;
use entities::audit_entry::NewEntry;
use entities::job::family::{self, Planned};
use entities::job::run::Ending;
use entities::job::{Model, State, cancel, insert, turns};
use entities::{JobId, Timestamp};
use runtime::Transaction;
use sea_orm::DbErr;
use serde_json::{Value, json};

use super::span;
use crate::{Draft, Queue};

/// The first chunk runs alone: it detects a guild that can no longer be changed.
const CHUNKS_RELEASED_FIRST: u64 = 1;

/// Applies the end of a chunk to its parent, whose row the caller's progress update has locked. Returns the running
/// chunks that must stop.
pub(super) async fn after_child(
    transaction: &Transaction,
    mut parent: Model,
    ending: &Ending,
    counters: Option<&Value>,
    now: Timestamp,
) -> Result<Vec<JobId>, DbErr> {
    // Also for a chunk that did not succeed: its changes were made.
    let own = if let Ending::Succeeded(result) = ending { Some(result) } else { counters };
    if let Some(own) = own {
        add_results(transaction, &mut parent, [own]).await?;
    }
    // A dead chunk does not stop the others; a failed or cancelled one does.
    let stop = matches!(ending, Ending::Failed(_) | Ending::Cancelled) && !parent.cancel_requested;
    if stop || ending.failure().is_some() {
        parent.error =
            ending.failure().and_then(|failure| serde_json::to_value(failure).ok()).or(parent.error);
        parent.cancel_requested |= stop;
        family::note_end(transaction, &parent).await?;
    }
    Ok(settle(transaction, parent, now).await?.running)
}

/// The result of settling a family.
pub(crate) struct Settled {
    /// Chunks that must stop.
    pub(crate) running: Vec<JobId>,
    /// The parent has ended.
    over: bool,
}

/// Applies the state of the parent's row, whatever set it. The transaction has locked that row, before any
/// chunk's: so of two transactions the second sees all chunks of the first. Chunks of a parent that is to
/// stop, or has ended, are stopped; a waiting parent without open chunks ends.
pub(crate) async fn settle(
    transaction: &Transaction,
    mut parent: Model,
    now: Timestamp,
) -> Result<Settled, DbErr> {
    let mut running = Vec::new();
    if parent.cancel_requested || !parent.state.is_open() {
        let stopped = cancel::stop_children(transaction, parent.job_id, now).await?;
        let (runs, ended): (Vec<_>, Vec<_>) =
            stopped.into_iter().partition(|child| child.state == State::Running);
        running = runs.into_iter().map(|child| child.job_id).collect();
        if !ended.is_empty() && !parent.state.is_open() {
            family::forget_plan(transaction, parent.job_id).await?;
        }
        add_results(transaction, &mut parent, ended.iter().filter_map(|child| child.result.as_ref())).await?;
    }
    let over = !parent.state.is_open() || finish_parent_if_last(transaction, &parent, now).await?;
    Ok(Settled { running, over })
}

/// Adds the results of children that have ended to their parent's.
async fn add_results(
    transaction: &Transaction,
    parent: &mut Model,
    results: impl IntoIterator<Item = &Value>,
) -> Result<(), DbErr> {
    let before = parent.result.clone();
    for result in results {
        parent.result = Some(add_counters(parent.result.take(), result));
    }
    if parent.result == before {
        return Ok(());
    }
    family::set_result(transaction, parent.job_id, parent.result.clone()).await
}

/// Ends a waiting parent without open children, with an entry in the audit log. False: it goes on.
async fn finish_parent_if_last(
    transaction: &Transaction,
    parent: &Model,
    now: Timestamp,
) -> Result<bool, DbErr> {
    if parent.state != State::Waiting || family::count_open_children(transaction, parent.job_id).await? > 0 {
        return Ok(false);
    }
    let Some(ended) = family::finish_parent(transaction, parent, now).await? else { return Ok(false) };
    let state = ended.status(now).name();
    // Whoever ends it, a chunk or a request, has a span of its own.
    span::of(&ended).in_scope(|| {
        tracing::info!(state, done = ended.progress_done, failed = ended.progress_failed, "bulk job ended");
    });
    let Some(guild) = ended.guild_id else { return Ok(true) };
    let entry = NewEntry {
        guild,
        action: "job.finished",
        target: ended.job_id.to_string(),
        metadata: json!({ "kind": ended.kind, "state": state, "result": ended.result }),
    };
    audit_chain::write(transaction, &ended.actor(), entry, now).await?;
    Ok(true)
}

/// Ends a plan: writes its last chunks and lets the first of all run. False: the claim is lost.
pub(super) async fn fan_out(
    queue: &Queue,
    job: &Model,
    chunks: &[Draft],
    planned: Planned,
) -> Result<bool, DbErr> {
    let now = queue.clock.now();
    let transaction = queue.database.begin().await?;
    let rows = chunks.iter().cloned().map(|chunk| chunk.into_chunk_of(job.job_id)).collect();
    insert::insert_held(&transaction, rows, now).await?;
    let Some(parent) = family::wait_for_children(&transaction, job.claim(), planned, now).await? else {
        return Ok(false);
    };
    let guild = parent.guild_id;
    // If the family has already ended, the guild gets its full share for other jobs.
    let most = if settle(&transaction, parent, now).await?.over {
        turns::share(job.class)
    } else {
        CHUNKS_RELEASED_FIRST
    };
    let released = match guild {
        Some(guild) => turns::release(&transaction, guild, job.class, most, now).await?,
        None => Vec::new(),
    };
    transaction.commit().await?;
    queue.publish(released);
    Ok(true)
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
    fn counters_of_children_add_up_and_texts_stay_unchanged() {
        let parent = json!({"steps": 500, "updated": 3, "note": "x"});
        let child = json!({"updated": 4, "failed": 1, "word": "y"});
        let sum = add_counters(Some(parent), &child);
        assert_eq!(sum, json!({"steps": 500, "updated": 7, "failed": 1, "note": "x"}));
        assert_eq!(add_counters(None, &child), json!({"updated": 4, "failed": 1}));
    }
}
