//! `guildhall jobs show`: everything that is known of one job, what its tries ran into, and which members failed.

use entities::job::Model;
use entities::job::history::Mishap;
use entities::{KeyId, Timestamp, job_failure};

use super::{OneArgs, ready_in, require};
use crate::output::{self, Table};

/// Failed members shown; how many more there are is said.
const FAILURES: u64 = 100;

pub(super) async fn run(args: OneArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let job = require(context.database.read(), args.job).await?;
    let failures = job_failure::list(context.database.read(), args.job, (None, FAILURES + 1)).await?;
    let now = context.clock.now();
    context.close().await;
    let mut table = Table::new(&["field", "value"]);
    for (name, value) in fields(&job, now) {
        table.row(&[name.to_owned(), value]);
    }
    output::print(&table.render())?;
    let history = job.history();
    if !history.is_empty() {
        output::print(&format!("\n{}", tries(&history)))?;
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
        ("state", job.state.name().to_owned()),
        ("cancel requested", job.cancel_requested.to_string()),
        ("progress", progress),
        ("ready in", ready_in(job, now)),
        ("attempt", format!("{} of {}", job.attempt, job.max_attempts)),
        ("lost workers in a row", job.losses.to_string()),
        ("arguments", job.args.to_string()),
        ("result", json(&job.result)),
        ("error", json(&job.error)),
        ("checkpoint", json(&job.checkpoint)),
        ("dedupe key", text(job.dedupe_key.clone())),
        ("lease", job.lease.to_string()),
        ("lease until", output::time_or_dash(job.lease_until)),
        ("worker", text(job.worker.clone())),
        ("asked by", text(job.actor_id.map(|id| id.to_string()))),
        ("with key row", text(job.key_id.map(|id: KeyId| id.to_string()))),
        ("request", text(job.request_id.clone())),
        ("trace", text(job.trace_context.clone())),
        ("created", output::time(job.created_at)),
        ("due", output::time_or_dash(job.run_at)),
        ("published", output::time_or_dash(job.published_at)),
        ("started", output::time_or_dash(job.started_at)),
        ("finished", output::time_or_dash(job.finished_at)),
    ]
}

/// The tries that did not end well, oldest first.
fn tries(history: &[Mishap]) -> String {
    let mut table = Table::new(&["failed try", "at", "error", "message", "worker"]);
    for mishap in history {
        table.row(&[
            mishap.attempt.to_string(),
            output::time(mishap.at),
            mishap.error.clone(),
            mishap.message.clone(),
            mishap.worker.clone().unwrap_or_else(|| "-".to_owned()),
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
