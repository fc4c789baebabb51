//! POST /interactions/sync/all: one accepted call per hour and guild (interface 8, decisions 3).

use entities::{JobId, link};
use queue::kinds::SyncAll;
use queue::{Draft, Enqueued};
use serde::Serialize;
use serde_json::json;

use crate::bucket::Bucket;
use crate::call::Call;
use crate::fields::Whole;
use crate::guard;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Queued {
    queued: bool,
    /// Verified members of the guild.
    members: u64,
    job_id: JobId,
}

/// Always answers at once. While such a job is under way, that one is named, and the call is not counted.
pub(crate) async fn sync_all(call: Call) -> Result<Reply, ApiError> {
    let dry_run = call.fields.optional("dry_run")?.unwrap_or(false);
    let max_removals = call.fields.optional::<Whole<0, { i32::MAX }>>("max_removals")?;
    let max_removals = max_removals.and_then(|max| u64::try_from(max.0).ok());
    let payload = SyncAll { guild: call.guild(), dry_run, max_removals };
    let members = link::count(call.read(), call.guild()).await?;
    let taken = guard::take_for_guild(&call, Bucket::SyncAll).await?;
    let (reply, enqueued) = match enqueue(&call, &payload, members).await {
        Ok(done) => done,
        Err(error) => {
            taken.give_back(&call).await;
            return Err(error);
        }
    };
    if enqueued.ticket.is_none() {
        taken.give_back(&call).await;
        return Ok(reply);
    }
    call.app.queue.publish(enqueued.ticket);
    Ok(reply.with_window(taken.window))
}

async fn enqueue(call: &Call, payload: &SyncAll, members: u64) -> Result<(Reply, Enqueued), ApiError> {
    let draft = Draft::new(call.guild(), payload, call.actor())?;
    let draft = draft.once(if payload.dry_run { "dry" } else { "all" });
    let draft = draft.total(i64::try_from(members).unwrap_or(i64::MAX));
    let transaction = call.begin().await?;
    let enqueued = draft.enqueue(&transaction, call.now()).await?;
    let message = if enqueued.ticket.is_some() {
        let metadata = json!({ "dry_run": payload.dry_run, "max_removals": payload.max_removals });
        call.audit(&transaction, "sync.all_requested", enqueued.job, metadata).await?;
        "sync of all members queued"
    } else {
        "a sync of all members is under way already; this is its job"
    };
    let reply = Reply::data(&Queued { queued: true, members, job_id: enqueued.job })?.with_message(message);
    Ok((call.commit(transaction, reply).await?, enqueued))
}
