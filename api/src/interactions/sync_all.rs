//! POST /interactions/sync/all: one run per hour and guild, six dry runs (docs/rules.md 3).
//!
//! Whatever can be refused is refused before the run is accepted, so a refusal never uses the hour.

use std::time::Duration;

use entities::bulk_sync::{self, Kind};
use entities::{JobId, link};
use platforms::{Missing, PlatformError};
use queue::kinds::SyncAll;
use queue::{BulkSync, enqueue_bulk_sync};
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::fields::Whole;
use crate::guard;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// How long the chat platform may take to say whether it shows the guild to the bot.
const CHECK_WITHIN: Duration = Duration::from_secs(3);
/// The platform's own number for a guild the bot is not in.
const MISSING_ACCESS: i64 = 50_001;

#[derive(Serialize)]
struct Queued {
    queued: bool,
    /// Verified members of the guild.
    members: u64,
    job_id: JobId,
}

/// Always answers at once. A run under way for longer than its hour is named, and the call is not counted.
pub(crate) async fn sync_all(call: Call) -> Result<Reply, ApiError> {
    let payload = read(&call)?;
    let kind = Kind::of(payload.dry_run);
    let standing = bulk_sync::standing(call.read(), call.guild(), kind, call.now()).await?;
    if standing.is_used_up() {
        return Err(guard::bulk_sync_over_quota(&standing));
    }
    check_bot(&call).await?;
    let members = link::count(call.read(), call.guild()).await?;
    let transaction = call.begin().await?;
    let by = (call.actor(), members);
    let (enqueued, standing) = match enqueue_bulk_sync(&transaction, &payload, by, call.now()).await? {
        BulkSync::Queued(enqueued, standing) => (enqueued, standing),
        BulkSync::OverQuota(standing) => return Err(guard::bulk_sync_over_quota(&standing)),
    };
    let message = if enqueued.joined {
        "a sync of all members is under way already; this is its job"
    } else {
        let metadata = json!({ "dry_run": payload.dry_run, "max_removals": payload.max_removals });
        call.audit(&transaction, "sync.all_requested", enqueued.job, metadata).await?;
        "sync of all members queued"
    };
    let reply = Reply::data(&Queued { queued: true, members, job_id: enqueued.job })?.with_message(message);
    let reply = call.commit(transaction, reply).await?;
    call.app.queue.publish(enqueued.ticket);
    Ok(reply.with_window(guard::bulk_sync_window(&standing)))
}

fn read(call: &Call) -> Result<SyncAll, ApiError> {
    let max_removals = call.fields.optional::<Whole<0, { i32::MAX }>>("max_removals")?;
    Ok(SyncAll {
        guild: call.guild(),
        dry_run: call.fields.optional("dry_run")?.unwrap_or(false),
        max_removals: max_removals.and_then(|max| u64::try_from(max.0).ok()),
    })
}

/// Whether the chat platform can be called for this guild at all.
pub(crate) async fn check_bot(call: &Call) -> Result<(), ApiError> {
    let roles = call.app.platforms.chat.guild_roles(call.platform());
    match tokio::time::timeout(CHECK_WITHIN, roles).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(
            PlatformError::NotFound(Missing::Guild) | PlatformError::Forbidden { code: MISSING_ACCESS, .. },
        )) => Err(ApiError::unavailable(
            "guild_not_reached",
            "the chat platform does not show the guild to the bot: is it a member?",
        )),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            Err(ApiError::unavailable("platform_unavailable", "the chat platform does not answer in time"))
        }
    }
}
