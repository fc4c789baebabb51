//! `guildhall sync`: syncs all members of a guild, as POST /interactions/sync/all does, and out of the same hour.

use anyhow::bail;
use chrono::TimeDelta;
use entities::audit_entry::Actor;
use entities::bulk_sync::{Kind, Standing};
use entities::{GuildId, link};
use queue::kinds::SyncAll;
use queue::{BulkSync, enqueue_bulk_sync};
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::{output, span};

/// Brings roles and nicknames of all verified members of a guild in line.
///
/// A job of the running processes does it; `guildhall jobs show` tells how far it is. A guild has one run an hour and six
/// dry runs, however they are asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    /// Count what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// A brake: where more roles would be removed, the job stops before its first change
    #[arg(long, value_name = "N")]
    max_removals: Option<u32>,
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, args.guild).await?;
    let members = link::count(&transaction, args.guild).await?;
    let payload =
        SyncAll { guild: args.guild, dry_run: args.dry_run, max_removals: args.max_removals.map(u64::from) };
    let by = (Actor::service(), members);
    let enqueued = match enqueue_bulk_sync(&transaction, &payload, by, now).await? {
        BulkSync::Queued(enqueued, _) => enqueued,
        BulkSync::OverQuota(standing) => bail!("{}", over_quota(&standing)),
    };
    let job = enqueued.job;
    if !enqueued.joined {
        let metadata = serde_json::Map::from_iter([
            ("dry_run".to_owned(), json!(payload.dry_run)),
            ("max_removals".to_owned(), json!(payload.max_removals)),
        ]);
        let action = (args.guild, "sync.all_requested");
        access::audit(&transaction, action, job.to_string(), metadata, now).await?;
    }
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    let begun = if enqueued.joined { "under way already" } else { "queued" };
    let members = output::count(usize::try_from(members).unwrap_or(usize::MAX), "member");
    output::print(&format!("job {job} is {begun} for {members}; see `guildhall jobs show {job}`"))
}

/// Why a guild's members cannot be synced now, and when they can.
pub(super) fn over_quota(standing: &Standing) -> String {
    let what = match standing.kind {
        Kind::Run => "one sync of all members",
        Kind::DryRun => "six dry runs",
    };
    let by = standing.job.map_or_else(String::new, |job| format!(", used by job {job}"));
    let left = TimeDelta::from_std(standing.reset_after()).unwrap_or_default();
    format!("a guild has {what} an hour{by}; the next is possible in {}", span::rough(left))
}
