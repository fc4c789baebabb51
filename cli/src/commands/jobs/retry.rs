//! `guildhall jobs retry`: runs one job again, or all failed and dead jobs of a kind.

use anyhow::bail;
use entities::job::retry::Which;
use entities::{GuildId, JobId};
use jobs::{RetriedAll, Retry};
use runtime::Context;

use super::job::{kind, require};
use crate::operator::{OperatorArgs, operator, quota_error, require_guild};
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
    match operator().retry(&context.database, &job, now).await? {
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

async fn all(context: &Context, kind: &str, guild: Option<GuildId>) -> anyhow::Result<String> {
    if let Some(guild) = guild {
        require_guild(context.database.read(), guild).await?;
    }
    let which = Which { kind: Some(kind), guild, ..Which::default() };
    let RetriedAll { queued, refused } =
        operator().retry_all(&context.database, which, u64::MAX, context.clock.now()).await?;
    let jobs = |n| anyhow::Ok(output::count(usize::try_from(n)?, "job"));
    let due = format!("{} of kind {kind} due now", jobs(queued)?);
    if refused > 0 {
        let refused = jobs(refused)?;
        bail!("{due}; {refused} not retried: an unfinished job does the same, or their quota is used up");
    }
    Ok(due)
}
