//! `guildhall jobs retry`: runs one job again, or all failed and dead jobs of a kind.

use anyhow::bail;
use entities::job::Model;
use entities::job::retry::find_failed;
use entities::{GuildId, JobId, Timestamp};
use queue::{Retry, retry};
use runtime::Context;

use super::job::{audit, kind, require};
use crate::operator::{OperatorArgs, quota_error, require_guild};
use crate::{fields, output};

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["job", "all"])))]
pub(crate) struct RetryArgs {
    /// The job's id
    #[arg(value_name = "JOB_ID", value_parser = fields::job_id)]
    job: Option<JobId>,
    /// All failed and dead jobs of `--kind`
    #[arg(long, requires = "kind")]
    all: bool,
    /// With `--all`: the kind of jobs, such as `mirror_ban`
    #[arg(long, value_name = "KIND", requires = "all", value_parser = kind)]
    kind: Option<&'static str>,
    /// With `--all`: jobs of this guild only
    #[arg(long, value_name = "GUILD_ID", requires = "all")]
    guild: Option<GuildId>,
    #[command(flatten)]
    operator: OperatorArgs,
}

/// Jobs per query.
const BATCH: u64 = 200;

pub(super) async fn run(args: RetryArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let message = match (args.job, args.kind) {
        (Some(job), _) => one(&context, job).await?,
        (None, Some(kind)) => all(&context, kind, args.guild).await?,
        (None, None) => bail!("name a job, or --all and a --kind"),
    };
    context.close().await;
    output::print(&message)
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
        Retry::PartOf(parent) => bail!("job {id} is a chunk of {parent}; retry that one"),
        Retry::Duplicate(other) => {
            bail!("job {other} does the same and is not finished; wait for it or cancel it")
        }
        Retry::OverQuota(standing) => Err(quota_error(&standing)),
    }
}

/// Each job has a transaction of its own, so that an interrupted command keeps what it has done.
async fn all(context: &Context, kind: &str, guild: Option<GuildId>) -> anyhow::Result<String> {
    if let Some(guild) = guild {
        require_guild(context.database.read(), guild).await?;
    }
    let now = context.clock.now();
    let (mut retried, mut left, mut after) = (0_u64, 0_u64, None);
    loop {
        let jobs = find_failed(context.database.read(), kind, guild, after, BATCH).await?;
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
    let rest = if left == 0 {
        String::new()
    } else {
        format!("; {left} were not retried: an unfinished job does the same, or their quota is used up")
    };
    Ok(format!("{retried} jobs of kind {kind} are due now{rest}"))
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
