//! `guildhall jobs`: look at jobs, give dead ones another chance, cancel what should not go on.

mod show;

use anyhow::{Context as _, bail};
use entities::job::{Class, Model, State, lifecycle, listing, outbox};
use entities::{GuildId, JobId, Timestamp};
use queue::Queue;
use runtime::Database;
use sea_orm::DatabaseTransaction;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};
use crate::span;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List jobs, newest first, under a summary of what waits
    List(ListArgs),
    /// Show all fields of a job, and which members failed
    Show(OneArgs),
    /// Give a failed or dead job a fresh set of attempts
    Retry(OneArgs),
    /// Cancel a job: what has not begun ends now, what runs is asked to stop
    Cancel(OneArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Jobs of this guild only
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    /// Jobs in this state only: scheduled, queued, running, waiting, retrying, succeeded, failed, dead, cancelled
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The job's id
    #[arg(value_name = "JOB_ID")]
    job: JobId,
    #[command(flatten)]
    access: AccessArgs,
}

const STATES: [State; 9] = [
    State::Scheduled,
    State::Queued,
    State::Running,
    State::Waiting,
    State::Retrying,
    State::Succeeded,
    State::Failed,
    State::Dead,
    State::Cancelled,
];

fn state(word: &str) -> Result<State, String> {
    STATES.into_iter().find(|state| state.name() == word).ok_or_else(|| {
        let names: Vec<_> = STATES.iter().map(|state| state.name()).collect();
        format!("states are {}", names.join(", "))
    })
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Retry(args) => retry(args).await,
        Command::Cancel(args) => cancel(args).await,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let now = context.clock.now();
    if let Some(guild) = args.guild {
        access::require_guild(context.database.read(), guild).await?;
    }
    let waiting = backlog(&context.database, now).await?;
    let filter = listing::Filter { guild: args.guild, state: args.state, kind: None };
    let jobs = listing::list(context.database.read(), filter, (None, args.limit)).await?;
    context.close().await;
    let mut table = Table::new(&["job", "kind", "guild", "state", "done", "attempt", "age", "error"]);
    for job in jobs {
        table.row(&row(&job, now));
    }
    output::print(&format!("{waiting}\n\n{}", table.render()))
}

/// What waits in each class.
async fn backlog(database: &Database, now: Timestamp) -> anyhow::Result<String> {
    let mut table = Table::new(&["class", "queued", "oldest"]);
    for class in Class::ALL {
        let backlog = listing::backlog(database.read(), class).await?;
        let oldest = backlog.oldest.map_or_else(|| "-".to_owned(), |since| span::rough(now - since));
        table.row(&[class.name().to_owned(), backlog.queued.to_string(), oldest]);
    }
    Ok(table.render())
}

fn row(job: &Model, now: Timestamp) -> Vec<String> {
    let done = match job.progress_total {
        0 => "-".to_owned(),
        total => format!("{}/{total}", job.progress_done),
    };
    vec![
        job.job_id.to_string(),
        job.kind.clone(),
        job.guild_id.map_or_else(|| "-".to_owned(), |guild| guild.to_string()),
        job.state.name().to_owned(),
        done,
        format!("{}/{}", job.attempt, job.max_attempts),
        span::rough(now - job.created_at),
        job.failure().map_or_else(String::new, |failure| failure.error),
    ]
}

async fn retry(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let job = require(&transaction, args.job).await?;
    refuse_twin(&transaction, &job).await?;
    if outbox::replay(&transaction, args.job, now).await?.is_none() {
        if job.parent_id.is_some() {
            bail!("job {} is a part of another; retry that one", args.job);
        }
        bail!("job {} is {}; only failed and dead jobs can be retried", args.job, job.state.name());
    }
    audit(&transaction, &job, "jobs.retry", now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&format!("job {} is queued again; a running scheduler (or `serve`) passes it on", args.job))
}

/// Two unfinished jobs for one thing would break the promise of the first.
async fn refuse_twin(transaction: &DatabaseTransaction, job: &Model) -> anyhow::Result<()> {
    let (Some(guild), Some(key)) = (job.guild_id, job.dedupe_key.as_deref()) else { return Ok(()) };
    match lifecycle::find_open_by_dedupe_key(transaction, guild, &job.kind, key).await? {
        Some(twin) if twin.job_id != job.job_id => {
            bail!("job {} does the same and is not finished: wait for it or cancel it", twin.job_id)
        }
        _ => Ok(()),
    }
}

async fn cancel(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let queue = Queue::embedded(&context);
    let hears = if context.redis.is_some() { "at once" } else { "at its next heartbeat, within 10 s" };
    let transaction = context.database.begin().await?;
    let before = require(&transaction, args.job).await?;
    if !before.state.is_open() {
        bail!("job {} is {} already; nothing was changed", args.job, before.state.name());
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
        ("state".to_owned(), json!(job.state.name())),
    ]);
    access::audit(transaction, (guild, action), job.job_id.to_string(), metadata, now).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_word() {
        for known in STATES {
            assert_eq!(state(known.name()), Ok(known));
        }
        assert!(state("done").unwrap_err().contains("waiting, retrying, succeeded"));
        let open = STATES.into_iter().filter(|state| state.is_open()).count();
        assert_eq!(open, State::OPEN.len());
    }
}
