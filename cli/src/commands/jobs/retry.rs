//! `guildhall jobs retry`: runs one job again, or all failed and dead jobs of a kind.

use anyhow::bail;
use entities::job::Model;
use entities::job::retry::find_failed;
use entities::{GuildId, JobId, Timestamp};
use queue::{Retry, retry};
use runtime::Context;

use super::list::kind;
use super::{audit, require};
use crate::access::{self, AccessArgs};
use crate::commands::sync;
use crate::output;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["job", "all"])))]
pub(crate) struct RetryArgs {
    /// The job's id
    #[arg(value_name = "JOB_ID")]
    job: Option<JobId>,
    /// All failed and dead jobs of `--kind`
    #[arg(long, requires = "kind")]
    all: bool,
    /// The kind of jobs that `--all` means, such as `mirror_ban`
    #[arg(long, value_name = "KIND", requires = "all", value_parser = kind)]
    kind: Option<&'static str>,
    /// With `--all`: jobs of this guild only
    #[arg(long, value_name = "GUILD_ID", requires = "all")]
    guild: Option<GuildId>,
    #[command(flatten)]
    access: AccessArgs,
}

/// Jobs read at once.
const BATCH: u64 = 200;

pub(super) async fn run(args: RetryArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let said = match (args.job, args.kind) {
        (Some(job), _) => one(&context, job).await?,
        (None, Some(kind)) => all(&context, kind, args.guild).await?,
        (None, None) => bail!("name a job, or --all and a --kind"),
    };
    access::finish(context, Vec::new()).await;
    output::print(&said)
}

async fn one(context: &Context, id: JobId) -> anyhow::Result<String> {
    let now = context.clock.now();
    let job = require(context.database.read(), id).await?;
    match again(context, &job, now).await? {
        Retry::Queued(_) => {
            Ok(format!("job {id} is due now; a running worker (or `serve`) takes it within seconds"))
        }
        Retry::NotFailed(_) => bail!(
            "job {id} is {}; only jobs that failed, are dead or wait for their next attempt can be retried",
            job.status(now).name()
        ),
        Retry::PartOf(parent) => bail!("job {id} is a part of {parent}; retry that one"),
        Retry::Duplicate(other) => {
            bail!("job {other} does the same and is not finished: wait for it or cancel it")
        }
        Retry::OverQuota(standing) => bail!("{}", sync::over_quota(&standing)),
    }
}

/// Each job in a transaction of its own: what was done stays done when the command is broken off.
async fn all(context: &Context, kind: &str, guild: Option<GuildId>) -> anyhow::Result<String> {
    if let Some(guild) = guild {
        access::require_guild(context.database.read(), guild).await?;
    }
    let now = context.clock.now();
    let (mut retried, mut left, mut after) = (0_u64, 0_u64, None);
    loop {
        let jobs = find_failed(context.database.read(), kind, guild, (after, BATCH)).await?;
        for job in &jobs {
            match again(context, job, now).await? {
                Retry::Queued(_) => retried += 1,
                Retry::NotFailed(_) | Retry::PartOf(_) | Retry::Duplicate(_) | Retry::OverQuota(_) => {
                    left += 1;
                }
            }
        }
        after = jobs.last().map(|job| job.job_id);
        if (jobs.len() as u64) < BATCH {
            break;
        }
    }
    let twins = if left == 0 {
        String::new()
    } else {
        format!("; {left} were left: an unfinished job does the same, or their quota is used up")
    };
    Ok(format!("{retried} jobs of kind {kind} are due now{twins}"))
}

async fn again(context: &Context, job: &Model, now: Timestamp) -> anyhow::Result<Retry> {
    let transaction = context.database.begin().await?;
    let outcome = retry(&transaction, job, now).await?;
    if matches!(outcome, Retry::Queued(_)) {
        audit(&transaction, job, "jobs.retry", now).await?;
        transaction.commit().await?;
    }
    Ok(outcome)
}
