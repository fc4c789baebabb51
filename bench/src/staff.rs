//! The duration of leaderboard, stats and quota progress of a guild with very many staff actions.
//!
//! The queries are those of the endpoints. The rows are written by SQL: a million of them through the product's own path
//! would take an hour.

use std::time::Instant;

use bench::figures::{Figures, percentile};
use chrono::TimeDelta;
use entities::quota::{self, Metric, Period};
use entities::staff_action::{self, ActionType};
use entities::{GuildId, QuotaId, Timestamp, quota_progress, staff_directory, staff_session};
use runtime::Pool;
use sea_orm::DbErr;

use crate::fixture::{Fixture, guild_id};
use testkit::Mode;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of staff members
    #[arg(long, default_value_t = 200)]
    staff: u32,
    /// Number of staff actions, spread over two years
    #[arg(long, default_value_t = 1_000_000)]
    actions: u32,
    /// Number of staff sessions, half an hour each
    #[arg(long, default_value_t = 100_000)]
    sessions: u32,
    /// How often each answer is measured
    #[arg(long, default_value_t = 20)]
    rounds: usize,
}

const MOST_MS: f64 = 100.0;
const FIRST_STAFF: i64 = 1_000_000_000_000_000_000;
const TYPES: u32 = 7;

const ROLE: &str = "
INSERT INTO staff_role (guild_id, role_id, role_name, permissions, play_permissions, created_at)
VALUES ({guild}, 1, 'Moderator', '[]', '[]', now())";

const MEMBERS: &str = "
INSERT INTO staff_member (guild_id, chat_id, role_id, joined_at)
SELECT {guild}, {first} + s, 1, now() - interval '2 years' FROM generate_series(1, {staff}) s";

/// Spread evenly over two years and all staff, in chronological order; one of every hundred waits for approval.
const ACTIONS: &str = "
INSERT INTO staff_action
    (guild_id, staff_id, action_type, nth, counted_at, target_id, details, session_id,
     created_at)
SELECT {guild}, {first} + s, (ARRAY['ban', 'unban', 'mute', 'unmute', 'warn', 'kick', 'custom'])[k],
    CASE WHEN n % 100 <> 0 THEN n - n / 100 END, CASE WHEN n % 100 <> 0 THEN done_at END,
    (20000000 + n)::text, '{}', NULL, done_at
FROM (SELECT n, now() - interval '2 years' * (1 - n::double precision / {each}) AS done_at
      FROM generate_series(1, {each}) n) numbered,
    generate_series(1, {staff}) s, generate_series(1, {types}) k
ORDER BY n, s, k
LIMIT {actions}";

const SESSIONS: &str = "
INSERT INTO staff_session (session_id, guild_id, staff_id, play_id, place_id, server_id, started_second,
    heartbeat_second, ended_second)
SELECT gen_random_uuid(), {guild}, {first} + s, 10000 + s, 1, 'server', start, start + 1800, start + 1800
FROM (SELECT s, extract(epoch FROM now())::bigint - 3600 - 63072000 / {per_staff} * (n - 1) AS start
    FROM generate_series(1, {per_staff}) n, generate_series(1, {staff}) s) AS made";

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let fixture = Fixture::start(Mode::Distributed, 1).await?;
    let guild = guild_id(0)?;
    fill(&fixture, guild, arguments).await;
    let answers = Answers { conn: fixture.context.database.read(), guild, now: fixture.context.clock.now() };
    let (week, rounds) = (Some(answers.now - TimeDelta::days(7)), arguments.rounds.max(1));
    let mut figures = Figures::default();
    figures.heading(&format!("{} staff, {} actions, median, ms", arguments.staff, arguments.actions));
    measure(&mut figures, rounds, "leaderboard, week", || answers.leaderboard(week)).await?;
    measure(&mut figures, rounds, "leaderboard, all time", || answers.leaderboard(None)).await?;
    measure(&mut figures, rounds, "stats", || answers.stats()).await?;
    for (what, metric, approved, since) in [
        ("quota progress, bans of a week", Metric::Ban, false, week),
        ("quota progress, approved bans of all time", Metric::Ban, true, None),
        ("quota progress, minutes of all time", Metric::Minutes, false, None),
    ] {
        measure(&mut figures, rounds, what, || answers.progress(metric, approved, since)).await?;
    }
    Ok(figures.conclude())
}

async fn measure<A: Future<Output = Result<(), DbErr>>>(
    figures: &mut Figures,
    rounds: usize,
    what: &str,
    answer: impl Fn() -> A,
) -> Result<(), DbErr> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        answer().await?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    figures.at_most(what, percentile(&times, 50), MOST_MS);
    Ok(())
}

/// The queries of the endpoints.
struct Answers<'a> {
    conn: &'a Pool,
    guild: GuildId,
    now: Timestamp,
}

impl Answers<'_> {
    async fn stats(&self) -> Result<(), DbErr> {
        tokio::try_join!(
            staff_action::totals::of_guild(self.conn, self.guild, ActionType::ALL, None),
            staff_session::totals::of_guild(self.conn, self.guild, None)
        )
        .map(drop)
    }

    async fn leaderboard(&self, since: Option<Timestamp>) -> Result<(), DbErr> {
        tokio::try_join!(
            staff_directory::list(self.conn, self.guild, self.now),
            staff_action::totals::of_guild(self.conn, self.guild, ActionType::ALL, since),
            staff_session::totals::of_guild(self.conn, self.guild, since)
        )
        .map(drop)
    }

    /// The measurement needs no quota row.
    async fn progress(
        &self,
        metric: Metric,
        requires_approval: bool,
        since: Option<Timestamp>,
    ) -> Result<(), DbErr> {
        let quota = quota::Model {
            quota_id: QuotaId::try_from(1).map_err(|error| DbErr::Custom(error.to_string()))?,
            guild_id: self.guild,
            name: "bench".to_owned(),
            metric,
            target: 100,
            period: Period::Week,
            scope_role: None,
            requires_approval,
            created_at: self.now,
        };
        let found = entities::guild::find(self.conn, self.guild).await?;
        let settings = found.ok_or(DbErr::RecordNotFound("guild".to_owned()))?.settings();
        quota_progress::list(self.conn, &quota, since.into(), &settings, self.now).await.map(drop)
    }
}

async fn fill(fixture: &Fixture, guild: GuildId, arguments: &Arguments) {
    let staff = arguments.staff.max(1);
    let words = [
        ("{guild}", guild.to_string()),
        ("{first}", FIRST_STAFF.to_string()),
        ("{staff}", staff.to_string()),
        ("{types}", TYPES.to_string()),
        ("{actions}", arguments.actions.to_string()),
        ("{each}", arguments.actions.div_ceil(staff * TYPES).to_string()),
        ("{per_staff}", (arguments.sessions / staff).max(1).to_string()),
    ];
    for template in [ROLE, MEMBERS, ACTIONS, SESSIONS, "VACUUM ANALYZE"] {
        let sql = words.iter().fold(template.to_owned(), |sql, (word, value)| sql.replace(word, value));
        fixture.database.execute(&sql).await;
    }
}
