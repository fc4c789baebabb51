//! `guildhall jobs list`: what waits, how far bulk jobs are, and single jobs with the last thing that went wrong.

use entities::job::listing::{self, Filter};
use entities::job::{Class, Model, Status};
use entities::{GuildId, Page, Timestamp, job_pause};
use runtime::Database;

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};
use crate::span;

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
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
    #[command(flatten)]
    access: AccessArgs,
}

/// Unfinished bulk jobs shown.
const BULK: u64 = 100;
/// Characters of an error's message shown; `jobs show` has all of it.
const MESSAGE: usize = 80;

fn status(word: &str) -> Result<Status, String> {
    word.parse().map_err(|_| format!("states are {}", Status::NAMES.join(", ")))
}

pub(super) fn kind(word: &str) -> Result<&'static str, String> {
    let kinds = || queue::kinds::ALL.iter().map(|(kind, _)| *kind);
    kinds().find(|kind| *kind == word).ok_or_else(|| {
        let names: Vec<_> = kinds().collect();
        format!("kinds are {}", names.join(", "))
    })
}

pub(super) async fn run(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let (conn, now) = (context.database.read(), context.clock.now());
    if let Some(guild) = args.guild {
        access::require_guild(conn, guild).await?;
    }
    let mut parts = vec![backlog(&context.database, now).await?];
    parts.extend(paused(&job_pause::list(conn).await?));
    let bulk = listing::open_bulk(conn, args.guild, BULK).await?;
    if !bulk.is_empty() {
        parts.push(under_way(&bulk, now));
    }
    let filter = Filter { guild: args.guild, status: args.state, kind: args.kind };
    let jobs = listing::list(conn, filter, Page::first(args.limit), now).await?;
    context.close().await;
    let mut table = Table::new(&["job", "kind", "guild", "state", "done", "attempt", "age", "last error"]);
    for job in jobs {
        table.row(&row(&job, now));
    }
    parts.push(table.render());
    output::print(&parts.join("\n\n"))
}

/// What waits in each class.
async fn backlog(database: &Database, now: Timestamp) -> anyhow::Result<String> {
    let mut table = Table::new(&["class", "queued", "held", "oldest"]);
    for &class in Class::ALL {
        let backlog = listing::backlog(database.read(), class, now).await?;
        let oldest = backlog.oldest.map_or_else(|| "-".to_owned(), |since| span::rough(now - since));
        table.row(&[
            class.name().to_owned(),
            backlog.available.to_string(),
            backlog.held.to_string(),
            oldest,
        ]);
    }
    Ok(table.render())
}

/// What operators paused, or nothing.
fn paused(pauses: &[job_pause::Model]) -> Option<String> {
    let class = |pause: &job_pause::Model| pause.class.map(|class| format!("class {}", class.name()));
    let guild = |pause: &job_pause::Model| pause.guild_id.map(|guild| format!("guild {guild}"));
    let scopes: Vec<_> = pauses.iter().filter_map(|pause| class(pause).or_else(|| guild(pause))).collect();
    (!scopes.is_empty()).then(|| format!("Paused: {} (`jobs resume`)", scopes.join(", ")))
}

/// How far each guild's unfinished bulk jobs are, and when they will be done.
fn under_way(jobs: &[Model], now: Timestamp) -> String {
    let mut table = Table::new(&["guild", "bulk job", "kind", "state", "done", "failed", "ready in"]);
    for job in jobs {
        table.row(&[
            guild(job),
            job.job_id.to_string(),
            job.kind.clone(),
            job.status(now).name().to_owned(),
            done(job),
            job.progress_failed.to_string(),
            super::ready_in(job, now),
        ]);
    }
    table.render()
}

fn row(job: &Model, now: Timestamp) -> Vec<String> {
    let error = job.failure().map_or_else(String::new, |failure| {
        let short: String = failure.message.chars().take(MESSAGE).collect();
        let more = if short.len() < failure.message.len() { "..." } else { "" };
        format!("{}: {short}{more}", failure.error)
    });
    vec![
        job.job_id.to_string(),
        job.kind.clone(),
        guild(job),
        job.status(now).name().to_owned(),
        done(job),
        format!("{}/{}", job.attempt, job.max_attempts),
        span::rough(now - job.created_at),
        error,
    ]
}

fn guild(job: &Model) -> String {
    job.guild_id.map_or_else(|| "-".to_owned(), |guild| guild.to_string())
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
    fn every_state_has_its_word() {
        for &known in Status::ALL {
            assert_eq!(status(known.name()), Ok(known));
        }
        assert!(status("done").unwrap_err().contains("waiting, retrying, succeeded"));
    }
}
