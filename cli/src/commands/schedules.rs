//! `guildhall schedules`: look at periodic tasks, run one now, pause one.

use anyhow::{Context as _, bail};
use entities::job::{Model, listing};
use entities::schedule;
use queue::Draft;
use queue::kinds::PeriodicTask;
use scheduler::SCHEDULES;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List schedules: when each fires, when it did last, and how that went
    List(ListArgs),
    /// Run a schedule's task now, also while it is paused
    Run(OneArgs),
    /// Stop firing a schedule
    Pause(OneArgs),
    /// Fire a paused schedule again; ticks it missed are not made up for
    Resume(OneArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The schedule's name
    #[arg(value_name = "SCHEDULE", value_parser = name)]
    schedule: &'static str,
    #[command(flatten)]
    access: AccessArgs,
}

fn name(word: &str) -> Result<&'static str, String> {
    SCHEDULES.iter().map(|schedule| schedule.name).find(|name| *name == word).ok_or_else(|| {
        let names: Vec<_> = SCHEDULES.iter().map(|schedule| schedule.name).collect();
        format!("schedules are {}", names.join(", "))
    })
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::Run(args) => run_now(args).await,
        Command::Pause(args) => set_paused(args, true).await,
        Command::Resume(args) => set_paused(args, false).await,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let (conn, now) = (context.database.read(), context.clock.now());
    let rows = schedule::list(conn).await?;
    let mut jobs = Vec::new();
    for row in &rows {
        jobs.push(match row.job_id {
            Some(job) => listing::find_any(conn, job).await?,
            None => None,
        });
    }
    context.close().await;
    let mut table = Table::new(&["schedule", "cron (UTC)", "state", "last tick", "last job", "outcome"]);
    let mut listed = Vec::new();
    for (row, job) in rows.iter().zip(jobs) {
        let Some(known) = SCHEDULES.iter().find(|known| known.name == row.name) else { continue };
        let state = if row.paused { "paused" } else { "active" };
        let (last_tick, status) =
            (output::time(row.last_tick), job.as_ref().map(|job| job.status(now).name()));
        listed.push(json!({
            "schedule": row.name, "cron": known.cron, "paused": row.paused, "last_tick": last_tick,
            "job_id": row.job_id, "job_state": status,
        }));
        let id = row.job_id.map_or_else(|| "-".to_owned(), |id| id.to_string());
        let outcome = job.as_ref().map_or_else(|| "-".to_owned(), |job| outcome(job, status.unwrap_or("-")));
        table.row(&[row.name.clone(), known.cron.to_owned(), state.to_owned(), last_tick, id, outcome]);
    }
    if args.json {
        output::print(&serde_json::to_string_pretty(&listed)?)
    } else {
        output::print(&table.render())
    }
}

fn outcome(job: &Model, status: &str) -> String {
    match (job.failure(), job.result.as_ref().and_then(|result| result["rows"].as_u64())) {
        (Some(failure), _) => format!("{status}: {}", failure.message),
        (None, Some(rows)) => format!("{status}: {rows} rows"),
        (None, None) => status.to_owned(),
    }
}

async fn run_now(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let row = schedule::find(&transaction, args.schedule).await?;
    row.context("no scheduler process has run on this database yet: start one, or `serve`")?;
    let task = PeriodicTask { schedule: args.schedule.to_owned(), tick: now };
    let enqueued = Draft::without_guild(&task)?.once(args.schedule).enqueue(&transaction, now).await?;
    if enqueued.joined {
        bail!(
            "job {} of this schedule is not finished: `jobs retry` makes one that waits due now",
            enqueued.job
        );
    }
    schedule::set_job(&transaction, args.schedule, enqueued.job).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&format!("job {}; a running scheduler (or `serve`) takes it within seconds", enqueued.job))
}

async fn set_paused(args: OneArgs, paused: bool) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let known = schedule::set_paused(context.database.write(), args.schedule, paused).await?;
    access::finish(context, Vec::new()).await;
    if !known {
        bail!("no scheduler process has run on this database yet: start one, or `serve`");
    }
    let state = if paused { "paused" } else { "active" };
    output::print(&format!("schedule {} is {state}", args.schedule))
}
