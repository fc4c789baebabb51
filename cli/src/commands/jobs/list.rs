//! `guildhall jobs list`: what waits, how far bulk jobs are, and single jobs with the last thing that went wrong.

use entities::job::listing::{self, Filter};
use entities::job::{Class, Model, State};
use entities::{GuildId, Timestamp};
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
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,
    /// Jobs of this kind only, such as `sync_all`
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<&'static str>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
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
/// Unfinished bulk jobs shown.
const BULK: u64 = 100;
/// Characters of an error's message shown; `jobs show` has all of it.
const MESSAGE: usize = 80;

fn state(word: &str) -> Result<State, String> {
    STATES.into_iter().find(|state| state.name() == word).ok_or_else(|| {
        let names: Vec<_> = STATES.iter().map(|state| state.name()).collect();
        format!("states are {}", names.join(", "))
    })
}

fn kind(word: &str) -> Result<&'static str, String> {
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
    let bulk = listing::open_bulk(conn, args.guild, BULK).await?;
    if !bulk.is_empty() {
        parts.push(under_way(&bulk, now));
    }
    let filter = Filter { guild: args.guild, state: args.state, kind: args.kind };
    let jobs = listing::list(conn, filter, (None, args.limit)).await?;
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
    let mut table = Table::new(&["class", "queued", "oldest"]);
    for class in Class::ALL {
        let backlog = listing::backlog(database.read(), class).await?;
        let oldest = backlog.oldest.map_or_else(|| "-".to_owned(), |since| span::rough(now - since));
        table.row(&[class.name().to_owned(), backlog.queued.to_string(), oldest]);
    }
    Ok(table.render())
}

/// How far each guild's unfinished bulk jobs are, and when they will be done.
fn under_way(jobs: &[Model], now: Timestamp) -> String {
    let mut table = Table::new(&["guild", "bulk job", "kind", "state", "done", "failed", "ready in"]);
    for job in jobs {
        table.row(&[
            guild(job),
            job.job_id.to_string(),
            job.kind.clone(),
            job.state.name().to_owned(),
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
        job.state.name().to_owned(),
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
        for known in STATES {
            assert_eq!(state(known.name()), Ok(known));
        }
        assert!(state("done").unwrap_err().contains("waiting, retrying, succeeded"));
        let open = STATES.into_iter().filter(|state| state.is_open()).count();
        assert_eq!(open, State::OPEN.len());
    }
}
