//! `guildhall jobs show`: all fields of a job, the errors of its attempts, and the members that failed.

use entities::job::Model;
use entities::job::history::AttemptError;
use entities::{Page, Timestamp, api_key, job_failure};

use super::job::{JobArgs, ready_in, require};
use super::record;
use crate::format::FormatArgs;
use crate::output::{self, or_dash};

#[derive(clap::Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    job: JobArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// How many failed members are shown.
const FAILURES_SHOWN: usize = 100;

pub(super) async fn run(ShowArgs { job: args, format }: ShowArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let (conn, now) = (context.database.read(), context.clock.now());
    let job = require(conn, args.job).await?;
    let failures = job_failure::list(conn, args.job, Page::first(FAILURES_SHOWN as u64 + 1)).await?;
    let key = match job.guild_id.zip(job.key_id) {
        Some((guild, key)) => Some(api_key::name_of(conn, guild, key, job.created_at).await?),
        None => None,
    };
    context.close().await;
    let history = job.history();
    let text = || {
        let rows = fields(&job, key.as_deref(), now);
        let rows = rows.into_iter().map(|(name, value)| [name.to_owned(), value]);
        let mut parts = vec![output::table(["field", "value"], rows)];
        parts.extend((!history.is_empty()).then(|| attempts(&history)));
        parts.extend((!failures.is_empty()).then(|| failed_members(&failures)));
        parts.join("\n\n")
    };
    let json = || {
        let mut json = record::job(&job, now);
        if let Some(trace) = job.trace_id() {
            json["trace_id"] = trace.into();
        }
        json["key"] = key.as_deref().into();
        json["args"] = job.args.clone();
        json["checkpoint"] = job.checkpoint.clone().into();
        json["dedupe_key"] = job.dedupe_key.clone().into();
        json["errors"] = history.iter().map(record::attempt).collect();
        json["failures"] = failures.iter().take(FAILURES_SHOWN).map(record::failure).collect();
        json
    };
    format.print(json, text)
}

fn fields(job: &Model, key: Option<&str>, now: Timestamp) -> Vec<(&'static str, String)> {
    let progress =
        format!("{} of {} done, {} failed", job.progress_done, job.progress_total, job.progress_failed);
    let mut fields = vec![
        ("job", job.job_id.to_string()),
        ("kind", job.kind.clone()),
        ("guild", or_dash(job.guild_id)),
        ("part of", or_dash(job.parent_id)),
        ("class", job.class.name().to_owned()),
        ("state", job.status(now).name().to_owned()),
        ("cancel requested", job.cancel_requested.to_string()),
        ("progress", progress),
        ("ready in", ready_in(job, now)),
        ("attempt", format!("{} of {}", job.attempt, job.max_attempts)),
        ("crashes in a row", job.crashes.to_string()),
        ("arguments", job.args.to_string()),
        ("result", or_dash(job.result.as_ref())),
        ("error", or_dash(job.error.as_ref())),
        ("checkpoint", or_dash(job.checkpoint.as_ref())),
        ("dedupe key", or_dash(job.dedupe_key.as_ref())),
        ("fencing token", job.token.to_string()),
        ("worker", or_dash(job.worker.as_ref())),
        ("actor", or_dash(job.actor_id)),
        ("key", or_dash(key)),
        ("request", or_dash(job.request_id.as_ref())),
        ("created", output::time(job.created_at)),
        ("due", output::time(job.run_at)),
        ("started", output::time_or_dash(job.started_at)),
        ("finished", output::time_or_dash(job.finished_at)),
    ];
    fields.extend(job.trace_id().map(|trace| ("trace", trace.to_owned())));
    fields
}

/// The failed attempts, oldest first.
fn attempts(history: &[AttemptError]) -> String {
    let rows = history.iter().map(|error| {
        let (attempt, at) = (error.attempt.to_string(), output::time(error.at));
        [attempt, at, error.error.clone(), error.message.clone(), or_dash(error.worker.as_ref())]
    });
    output::table(["failed attempt", "at", "error", "message", "worker"], rows)
}

fn failed_members(failures: &[job_failure::Model]) -> String {
    let rows = failures.iter().take(FAILURES_SHOWN).map(|failure| {
        let (member, at) = (failure.chat_id.to_string(), output::time(failure.created_at));
        [member, failure.error.clone(), failure.message.clone(), at]
    });
    let table = output::table(["failed member", "error", "message", "at"], rows);
    let more = if failures.len() > FAILURES_SHOWN {
        "\n... and more; GET /jobs/:jobId pages through all of them"
    } else {
        ""
    };
    format!("{table}{more}")
}
