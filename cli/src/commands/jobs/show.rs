//! `guildhall jobs show`: everything that is known of one job, what its attempts ran into, and which members failed.

use entities::job::Model;
use entities::job::history::AttemptError;
use entities::{KeyId, Page, Timestamp, job_failure};

use super::{OneArgs, ready_in, require};
use crate::output::{self, Table};

/// Failed members shown; how many more there are is said.
const FAILURES: u64 = 100;

pub(super) async fn run(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let job = require(context.database.read(), args.job).await?;
    let failures = job_failure::list(context.database.read(), args.job, Page::first(FAILURES + 1)).await?;
    let now = context.clock.now();
    context.close().await;
    let mut table = Table::new(&["field", "value"]);
    for (name, value) in fields(&job, now) {
        table.row(&[name.to_owned(), value]);
    }
    output::print(&table.render())?;
    let history = job.history();
    if !history.is_empty() {
        output::print(&format!("\n{}", attempts(&history)))?;
    }
    if !failures.is_empty() {
        output::print(&format!("\n{}", failed_members(&failures)))?;
    }
    Ok(())
}

fn fields(job: &Model, now: Timestamp) -> Vec<(&'static str, String)> {
    let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let json = |value: &Option<serde_json::Value>| text(value.as_ref().map(ToString::to_string));
    let progress =
        format!("{} of {} done, {} failed", job.progress_done, job.progress_total, job.progress_failed);
    vec![
        ("job", job.job_id.to_string()),
        ("kind", job.kind.clone()),
        ("guild", text(job.guild_id.map(|id| id.to_string()))),
        ("part of", text(job.parent_id.map(|id| id.to_string()))),
        ("class", job.class.name().to_owned()),
        ("state", job.status(now).name().to_owned()),
        ("cancel requested", job.cancel_requested.to_string()),
        ("progress", progress),
        ("ready in", ready_in(job, now)),
        ("attempt", format!("{} of {}", job.attempt, job.max_attempts)),
        ("crashes in a row", job.crashes.to_string()),
        ("arguments", job.args.to_string()),
        ("result", json(&job.result)),
        ("error", json(&job.error)),
        ("checkpoint", json(&job.checkpoint)),
        ("dedupe key", text(job.dedupe_key.clone())),
        ("fencing token", job.token.to_string()),
        ("worker", text(job.worker.clone())),
        ("asked by", text(job.actor_id.map(|id| id.to_string()))),
        ("with key row", text(job.key_id.map(|id: KeyId| id.to_string()))),
        ("request", text(job.request_id.clone())),
        ("created", output::time(job.created_at)),
        ("due", output::time(job.run_at)),
        ("started", output::time_or_dash(job.started_at)),
        ("finished", output::time_or_dash(job.finished_at)),
    ]
}

/// The attempts that did not end well, oldest first.
fn attempts(history: &[AttemptError]) -> String {
    let mut table = Table::new(&["failed attempt", "at", "error", "message", "worker"]);
    for error in history {
        table.row(&[
            error.attempt.to_string(),
            output::time(error.at),
            error.error.clone(),
            error.message.clone(),
            error.worker.clone().unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    table.render()
}

fn failed_members(failures: &[job_failure::Model]) -> String {
    let shown = usize::try_from(FAILURES).unwrap_or(usize::MAX);
    let mut table = Table::new(&["failed member", "error", "message", "at"]);
    for failure in failures.iter().take(shown) {
        table.row(&[
            failure.chat_id.to_string(),
            failure.error.clone(),
            failure.message.clone(),
            output::time(failure.created_at),
        ]);
    }
    let more = if failures.len() > shown {
        "\n... and more; GET /jobs/:jobId pages through all of them"
    } else {
        ""
    };
    format!("{}{more}", table.render())
}
