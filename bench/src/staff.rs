//! A guild with 200 staff and 1,000,000 actions: the cost and the query plans of leaderboard, stats and quota progress.
//!
//! The queries are those of the endpoints; the target is 100 ms each on Postgres.

mod arguments;
mod explained;
mod load;

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use entities::quota::{self, Metric, Period};
use entities::staff_action::{self, ActionType};
use entities::{GuildId, Timestamp, quota_progress, staff_directory, staff_session};
use sea_orm::{ConnectionTrait, DbErr};

use crate::fixture::{Fixture, Mode, guild_id};
pub(crate) use arguments::Arguments;
use explained::Explained;

/// The measured answers.
#[derive(Clone, Copy)]
enum What {
    LeaderboardWeek,
    LeaderboardAll,
    Stats,
    ProgressWeek,
    ProgressAllApproved,
    ProgressMinutes,
}

const ALL: [(What, &str); 6] = [
    (What::LeaderboardWeek, "leaderboard, week"),
    (What::LeaderboardAll, "leaderboard, all time"),
    (What::Stats, "stats"),
    (What::ProgressWeek, "quota progress, bans of a week"),
    (What::ProgressAllApproved, "quota progress, approved bans of all time"),
    (What::ProgressMinutes, "quota progress, minutes of all time"),
];

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let fixture = Fixture::start(Mode::Distributed, 1).await?;
    let guild = guild_id(0)?;
    let began = Instant::now();
    load::fill(&fixture.patient().await?, guild, arguments).await?;
    println!(
        "{} staff, {} actions, {} sessions, loaded in {:.1?}",
        arguments.staff,
        arguments.actions,
        arguments.sessions,
        began.elapsed()
    );
    let (conn, now) = (fixture.context.database.read(), fixture.context.clock.now());
    for (what, name) in ALL {
        let mut times = Vec::new();
        let mut rows = 0;
        for _ in 0..arguments.rounds.max(1) {
            let began = Instant::now();
            rows = answer(conn, what, guild, now).await?;
            times.push(began.elapsed());
        }
        println!("{name}: median {:.1?}, slowest {:.1?}, {rows} rows", median(&mut times), slowest(&times));
        if arguments.explain {
            answer(&Explained(conn), what, guild, now).await?;
        }
    }
    fixture.remove().await;
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn slowest(times: &[Duration]) -> Duration {
    times.iter().max().copied().unwrap_or_default()
}

/// Runs the queries of one answer and returns its number of rows.
async fn answer<C: ConnectionTrait>(
    conn: &C,
    what: What,
    guild: GuildId,
    now: Timestamp,
) -> Result<usize, DbErr> {
    let week = now - TimeDelta::days(7);
    match what {
        What::LeaderboardWeek => leaderboard(conn, guild, Some(week), now).await,
        What::LeaderboardAll => leaderboard(conn, guild, None, now).await,
        What::Stats => {
            let (tallies, sessions) = tokio::try_join!(
                staff_action::totals::of_guild(conn, guild, ActionType::ALL, None),
                staff_session::totals::of_guild(conn, guild, None)
            )?;
            Ok(tallies.len() + sessions.len())
        }
        What::ProgressWeek => progress(conn, (guild, Metric::Ban, false), Some(week), now).await,
        What::ProgressAllApproved => progress(conn, (guild, Metric::Ban, true), None, now).await,
        What::ProgressMinutes => progress(conn, (guild, Metric::Minutes, false), None, now).await,
    }
}

async fn leaderboard<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<usize, DbErr> {
    let (members, tallies, sessions) = tokio::try_join!(
        staff_directory::list(conn, guild, now),
        staff_action::totals::of_guild(conn, guild, ActionType::ALL, since),
        staff_session::totals::of_guild(conn, guild, since)
    )?;
    Ok(members.len() + tallies.len() + sessions.len())
}

/// The measurement needs no quota row.
async fn progress<C: ConnectionTrait>(
    conn: &C,
    (guild, metric, requires_approval): (GuildId, Metric, bool),
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<usize, DbErr> {
    let quota_id = entities::QuotaId::try_from(1).map_err(|error| DbErr::Custom(error.to_string()))?;
    let quota = quota::Model {
        quota_id,
        guild_id: guild,
        name: "bench".to_owned(),
        metric,
        target: 100,
        period: Period::Week,
        scope_role: None,
        requires_approval,
        created_at: now,
    };
    Ok(quota_progress::list(conn, &quota, since, now).await?.len())
}
