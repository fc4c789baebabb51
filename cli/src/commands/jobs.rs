//! `guildhall jobs`: look at jobs, give dead ones another chance, cancel what should not go on.

mod list;
mod pause;
mod retry;
mod show;
mod workers;

use anyhow::{Context as _, bail};
use chrono::TimeDelta;
use entities::job::{Model, State, listing};
use entities::{JobId, Timestamp};
use queue::Queue;
use sea_orm::DatabaseTransaction;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::{output, span};
use list::ListArgs;
use pause::PauseArgs;
use retry::RetryArgs;
use workers::WorkersArgs;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List jobs, newest first, under what waits in each class and how far the bulk jobs are
    List(ListArgs),
    /// Show all fields of a job, what its attempts ran into, and which members failed
    Show(OneArgs),
    /// Run failed and dead jobs again with a fresh set of attempts; one that waits for its next attempt becomes due now
    Retry(RetryArgs),
    /// Cancel a job: what has not begun ends now, what runs is asked to stop
    Cancel(OneArgs),
    /// List worker processes: what each runs, and when it gave its last heartbeat
    Workers(WorkersArgs),
    /// Stop starting jobs of a class or a guild; what runs goes on
    Pause(PauseArgs),
    /// Start jobs of a paused class or guild again
    Resume(PauseArgs),
}

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The job's id
    #[arg(value_name = "JOB_ID")]
    job: JobId,
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list::run(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Retry(args) => retry::run(args).await,
        Command::Cancel(args) => cancel(args).await,
        Command::Workers(args) => workers::run(args).await,
        Command::Pause(args) => pause::run(args, true).await,
        Command::Resume(args) => pause::run(args, false).await,
    }
}

async fn cancel(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let queue = Queue::embedded(&context);
    let hears =
        if context.redis.is_some() { "at once" } else { "at the next heartbeat of its process, within 3 s" };
    let transaction = context.database.begin().await?;
    let before = require(&transaction, args.job).await?;
    if !before.state.is_open() {
        bail!("job {} is {} already; nothing was changed", args.job, before.status(now).name());
    }
    let after = queue.cancel(&transaction, args.job).await?.context("the job is gone")?;
    audit(&transaction, &before, "jobs.cancel", now).await?;
    transaction.commit().await?;
    queue.announce_cancel(args.job).await?;
    access::finish(context, Vec::new()).await;
    output::print(&match after.state {
        State::Cancelled => format!("job {} is cancelled", args.job),
        _ => format!("job {} was asked to stop; what runs of it hears of that {hears}", args.job),
    })
}

/// When it will be done at its speed so far: `3 min`.
fn ready_in(job: &Model, now: Timestamp) -> String {
    let left = queue::eta(job, now).and_then(|left| TimeDelta::from_std(left).ok());
    left.map_or_else(|| "-".to_owned(), span::rough)
}

pub(super) async fn require<C: sea_orm::ConnectionTrait>(conn: &C, job: JobId) -> anyhow::Result<Model> {
    listing::find_any(conn, job).await?.with_context(|| format!("there is no job {job}"))
}

async fn audit(
    transaction: &DatabaseTransaction,
    job: &Model,
    action: &'static str,
    now: Timestamp,
) -> anyhow::Result<()> {
    let Some(guild) = job.guild_id else { return Ok(()) };
    let metadata = serde_json::Map::from_iter([
        ("kind".to_owned(), json!(job.kind)),
        ("state".to_owned(), json!(job.status(now).name())),
    ]);
    access::audit(transaction, (guild, action), job.job_id.to_string(), metadata, now).await?;
    Ok(())
}
