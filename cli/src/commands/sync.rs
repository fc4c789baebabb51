//! `guildhall sync`: syncs all members of a guild, under the same hourly quota as POST /interactions/sync/all.

use entities::audit_entry::Actor;
use entities::link;
use jobs::bulk_sync::{BulkSync, SyncAll, enqueue_bulk_sync};
use serde_json::json;

use crate::operator::{GuildArgs, quota_error};
use crate::output;

/// Brings the roles and nicknames of all verified members of a guild up to date.
///
/// It is a job of the running processes; `guildhall jobs show` shows its progress. A guild has a quota of one
/// sync and six dry runs an hour, whether the API or this command starts them.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    guild: GuildArgs,
    /// Count what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Stop the job before its first change if it would remove more than this many roles
    #[arg(long, value_name = "N")]
    max_removals: Option<u32>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let members = link::count(unit.tx(), guild).await?;
    let max_removals = args.max_removals.map(u64::from);
    let payload = SyncAll { dry_run: args.dry_run, max_removals, ..SyncAll::of(guild) };
    let enqueued = match enqueue_bulk_sync(&mut unit, &payload, Actor::service(), members).await? {
        BulkSync::Queued(enqueued, _) => enqueued,
        BulkSync::OverQuota(standing) => return Err(quota_error(&standing)),
    };
    let job = enqueued.job;
    if !enqueued.joined {
        let metadata = json!({ "dry_run": payload.dry_run, "max_removals": payload.max_removals });
        unit.audit(guild, "sync.all_requested", job, metadata);
    }
    unit.commit().await?;
    let state = if enqueued.joined { "already in progress" } else { "queued" };
    let members = output::count(usize::try_from(members).unwrap_or(usize::MAX), "member");
    output::print(&format!("job {job} is {state} for {members}; see `guildhall jobs show {job}`"))
}
