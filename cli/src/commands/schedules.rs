//! `guildhall schedules`: list periodic tasks, run one now, pause one.

use anyhow::bail;
use entities::job::{Model, listing};
use entities::schedule;
use jobs::schedules::{RunNow, SCHEDULES, Schedule};
use serde_json::json;

use crate::fields;
use crate::operator::{ListArgs, OperatorArgs};
use crate::output;

const NO_SCHEDULER: &str = "no scheduler process has run on this database yet: start one, or `serve`";

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List schedules: when each fires (UTC), when it last fired, and the outcome
    List(ListArgs),
    /// Run the task of a schedule now, even while it is paused
    Run(OneArgs),
    /// Stop firing a schedule
    Pause(OneArgs),
    /// Fire a paused schedule again; missed ticks are not made up
    Resume(OneArgs),
}

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The schedule's name
    #[arg(value_name = "SCHEDULE", value_parser = schedule)]
    schedule: &'static Schedule,
    #[command(flatten)]
    operator: OperatorArgs,
}

fn schedule(word: &str) -> Result<&'static Schedule, String> {
    let name = fields::one_of(word, "schedules", SCHEDULES.iter().map(|schedule| schedule.name))?;
    Schedule::find(name).ok_or_else(|| format!("there is no schedule {name}"))
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
    let context = args.operator.open().await?;
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
    let mut listed = Vec::new();
    for (row, job) in rows.iter().zip(jobs) {
        let Some(known) = Schedule::find(&row.name) else { continue };
        let status = job.as_ref().map(|job| job.status(now).name());
        listed.push(json!({
            "schedule": row.name,
            "cron": known.cron,
            "paused": row.paused,
            "last_tick": output::time(row.last_tick),
            "job_id": row.job_id,
            "job_state": status,
            "outcome": job.as_ref().map(|job| outcome(job, status.unwrap_or("-"))),
        }));
    }
    args.format.list(["schedule", "cron", "paused", "last_tick", "job_id", "outcome"], listed)
}

fn outcome(job: &Model, status: &str) -> String {
    match (job.failure(), job.result.as_ref().and_then(|result| result["rows"].as_u64())) {
        (Some(failure), _) => format!("{status}: {}", failure.message),
        (None, Some(rows)) => format!("{status}: {rows} rows"),
        (None, None) => status.to_owned(),
    }
}

async fn run_now(args: OneArgs) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let RunNow::Enqueued(enqueued) = args.schedule.run_now(&mut unit).await? else {
        bail!(NO_SCHEDULER);
    };
    let job = enqueued.job;
    if enqueued.joined {
        bail!("job {job} of this schedule is not finished; `jobs retry` makes a waiting one due now");
    }
    unit.commit().await?;
    output::print(&format!("job {job} is queued; a running scheduler (or `serve`) starts it within seconds"))
}

async fn set_paused(args: OneArgs, paused: bool) -> anyhow::Result<()> {
    let unit = args.operator.begin().await?;
    if !schedule::set_paused(unit.tx(), args.schedule.name, paused).await? {
        bail!(NO_SCHEDULER);
    }
    unit.commit().await?;
    output::print(&format!("schedule {} is {}", args.schedule.name, state(paused)))
}

fn state(paused: bool) -> &'static str {
    if paused { "paused" } else { "active" }
}
