//! `guildhall jobs list`: the backlog, the progress of bulk jobs, and single jobs with their last error.

use entities::job::listing::{self, Filter};
use entities::job::{Class, Model, Status};
use entities::{GuildId, Page, Timestamp, job_pause};
use runtime::Database;

use super::job::{kind, ready_in};
use super::record;
use crate::duration;
use crate::format::FormatArgs;
use crate::operator::{LimitArgs, OperatorArgs, require_guild};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Jobs of this guild only
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    /// Jobs in this state only: scheduled, queued, running, waiting, retrying, succeeded, failed, dead, cancelled
    #[arg(long, value_name = "STATE", value_parser = status)]
    state: Option<Status>,
    /// Jobs of this kind only, such as `sync_all`
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<&'static str>,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

/// How many unfinished bulk jobs are shown.
const BULK_JOBS_SHOWN: u64 = 100;
/// How much of an error message is shown, characters; `jobs show` has all of it.
const MESSAGE_CHARS_SHOWN: usize = 80;

fn status(word: &str) -> Result<Status, String> {
    word.parse().map_err(|_| format!("states are {}", Status::NAMES.join(", ")))
}

pub(super) async fn run(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let (conn, now) = (context.database.read(), context.clock.now());
    if let Some(guild) = args.guild {
        require_guild(conn, guild).await?;
    }
    let filter = Filter { guild: args.guild, status: args.state, kind: args.kind, class: None };
    let jobs = listing::list(conn, filter, Page::first(args.limit.limit), now).await?;
    let mut parts = vec![backlog(&context.database, now).await?];
    parts.extend(paused(&job_pause::list(conn).await?));
    let bulk = listing::open_bulk(conn, args.guild, BULK_JOBS_SHOWN).await?;
    if !bulk.is_empty() {
        parts.push(unfinished_bulk(&bulk, now));
    }
    context.close().await;
    let header = ["job", "kind", "guild", "state", "done", "attempt", "age", "last error"];
    parts.push(output::table(header, jobs.iter().map(|job| row(job, now))));
    let json = || jobs.iter().map(|job| record::job(job, now)).collect();
    args.format.print(json, || parts.join("\n\n"))
}

/// The number of waiting jobs in each class, and the age of the oldest.
async fn backlog(database: &Database, now: Timestamp) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for &class in Class::ALL {
        let backlog = listing::backlog(database.read(), class, now).await?;
        let oldest = output::or_dash(backlog.oldest.map(|since| duration::approximate(now - since)));
        let (queued, held) = (backlog.available.to_string(), backlog.held.to_string());
        rows.push([class.name().to_owned(), queued, held, oldest]);
    }
    Ok(output::table(["class", "queued", "held", "oldest"], rows))
}

/// The paused classes and guilds, if there are any.
fn paused(pauses: &[job_pause::Model]) -> Option<String> {
    let class = |pause: &job_pause::Model| pause.class.map(|class| format!("class {}", class.name()));
    let guild = |pause: &job_pause::Model| pause.guild_id.map(|guild| format!("guild {guild}"));
    let scopes: Vec<_> = pauses.iter().filter_map(|pause| class(pause).or_else(|| guild(pause))).collect();
    (!scopes.is_empty()).then(|| format!("Paused: {} (`jobs resume`)", scopes.join(", ")))
}

/// The progress of unfinished bulk jobs, and when they will end.
fn unfinished_bulk(jobs: &[Model], now: Timestamp) -> String {
    let rows = jobs.iter().map(|job| {
        [
            output::or_dash(job.guild_id),
            job.job_id.to_string(),
            job.kind.clone(),
            job.status(now).name().to_owned(),
            done(job),
            job.progress_failed.to_string(),
            ready_in(job, now),
        ]
    });
    output::table(["guild", "bulk job", "kind", "state", "done", "failed", "ready in"], rows)
}

fn row(job: &Model, now: Timestamp) -> [String; 8] {
    let error = job.failure().map_or_else(String::new, |failure| {
        let short: String = failure.message.chars().take(MESSAGE_CHARS_SHOWN).collect();
        let more = if short.len() < failure.message.len() { "..." } else { "" };
        format!("{}: {short}{more}", failure.error)
    });
    [
        job.job_id.to_string(),
        job.kind.clone(),
        output::or_dash(job.guild_id),
        job.status(now).name().to_owned(),
        done(job),
        format!("{}/{}", job.attempt, job.max_attempts),
        duration::approximate(now - job.created_at),
        error,
    ]
}

fn done(job: &Model) -> String {
    match job.progress_total {
        0 => "-".to_owned(),
        total => format!("{}/{total} ({} %)", job.progress_done, job.progress_done * 100 / total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_parsed() {
        for &known in Status::ALL {
            assert_eq!(status(known.name()), Ok(known));
        }
        assert!(status("done").unwrap_err().contains("waiting, retrying, succeeded"));
    }
}
