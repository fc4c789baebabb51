//! A guild with 200 staff, a million actions and 150,000 sessions: each query takes less than 100 ms.
//!
//! Loading takes a while, so it runs only when asked for: `cargo test --workspace --test queries -- --ignored
//! --nocapture`

use std::time::{Duration, Instant};

use entities::quota::{self, Metric, NewQuota, Period};
use entities::staff_action::{self, ActionType};
use entities::{Page, Timestamp, quota_progress, staff_directory, staff_session};

use crate::fixture::{Fixture, at, chat, guild, on_postgres, on_sqlite, settings};

/// The longest wait of a dashboard for one query.
const LIMIT: Duration = Duration::from_millis(100);
const MONTH: i64 = 30 * 86_400;

const ACTIONS: &str = "
INSERT INTO staff_action (guild_id, staff_id, action_type, nth, target_id, details, counted_at, created_at)
SELECT 7000000000000000000, 1000000000000000000 + s,
    (ARRAY['ban', 'unban', 'mute', 'unmute', 'warn', 'kick', 'custom'])[1 + t],
    row_number() OVER (PARTITION BY s, t ORDER BY i), (10000 + i)::text, '{}', done_at, done_at
FROM (SELECT i, i * 7919 % 200 AS s, i / 200 % 7 AS t, to_timestamp(1800000000 - (1000000 - i) * 8) AS done_at FROM generate_series(1::bigint, 1000000) AS i) AS numbered";

const SESSIONS: &str = "
INSERT INTO staff_session (session_id, guild_id, staff_id, play_id, place_id, server_id,
    started_second, heartbeat_second, ended_second)
SELECT gen_random_uuid(), 7000000000000000000, 1000000000000000000 + i % 200, 10000 + i % 200, 1, 's',
    start, start + 1800, start + 1800
FROM (SELECT i, 1800000000 - 4000 - (150000 - i) / 200 * 7200 AS start FROM generate_series(1::bigint, 150000) AS i) AS timed";

/// Those of the last month.
fn hours() -> Vec<(Timestamp, Timestamp)> {
    (0..720).map(|hour| (at(-MONTH + hour * 3_600), at(-MONTH + (hour + 1) * 3_600))).collect()
}

async fn timed<T>(what: &str, question: impl AsyncFn() -> T) -> T {
    let mut best = Duration::MAX;
    loop {
        let start = Instant::now();
        let answer = question().await;
        let took = start.elapsed();
        eprintln!("{what}: {took:?}");
        if took >= best {
            assert!(best < LIMIT, "{what} took {best:?}");
            return answer;
        }
        best = took;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "loads a million rows; measured by hand"]
async fn a_million_actions_are_summed_in_no_time() {
    on_postgres(async |fixture| {
        for n in 0..200 {
            fixture.hire(chat(n), 5).await;
        }
        fixture.execute(ACTIONS).await;
        fixture.execute(SESSIONS).await;
        // As the database does by itself.
        fixture.execute("VACUUM ANALYZE").await;
        let conn = fixture.conn();
        for since in [None, Some(at(-7 * 86_400)), Some(at(-MONTH))] {
            let what = format!("actions by member and type since {since:?}");
            let counts = timed(&what, async || {
                staff_action::totals::of_guild(conn, guild(), ActionType::ALL, since).await.unwrap()
            })
            .await;
            if since.is_none() {
                assert_eq!(counts.iter().map(|one| one.count).sum::<i64>(), 1_000_000);
            }
            timed("sessions by member", async || {
                staff_session::totals::of_guild(conn, guild(), since).await.unwrap()
            })
            .await;
        }
        for (metric, requires_approval) in
            [(Metric::Ban, false), (Metric::Ban, true), (Metric::Minutes, false)]
        {
            let new = NewQuota {
                name: "Quota".to_owned(),
                metric,
                target: 10,
                period: Period::Month,
                scope_role: None,
                requires_approval,
            };
            let quota = quota::add(conn, guild(), new, at(0)).await.unwrap();
            let what = format!("progress in {metric:?}");
            let rows = timed(&what, async || {
                quota_progress::list(conn, &quota, Some(at(-MONTH)).into(), &settings(), at(0)).await.unwrap()
            })
            .await;
            assert_eq!(rows.len(), 200);
        }
        timed("members", async || staff_directory::list(conn, guild(), at(0)).await.unwrap()).await;
        timed("profile", async || staff_action::totals::of_staff(conn, guild(), chat(7)).await.unwrap())
            .await;
        timed("activity by hour", async || {
            staff_action::times::count_in(conn, guild(), &hours()).await.unwrap()
        })
        .await;
        timed("activity", async || staff_action::list(conn, guild(), Page::first(51)).await.unwrap()).await;
    })
    .await;
}

/// The last 30 days of a guild, on both databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "loads 200,000 rows; measured by hand"]
async fn the_hours_of_a_month_are_counted_in_no_time() {
    let count = async |fixture: &Fixture, time: &str| {
        let rows = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)";
        let columns = "guild_id, staff_id, action_type, nth, target_id, details, counted_at, created_at";
        let values = format!("7000000000000000000, 1, 'ban', i + 1, '17', '{{}}', {time}, {time}");
        fixture.execute(&format!("INSERT INTO staff_action ({columns}) {rows} SELECT {values} FROM n")).await;
        let counts = timed("activity by hour", async || {
            staff_action::times::count_in(fixture.conn(), guild(), &hours()).await.unwrap()
        })
        .await;
        assert_eq!(
            counts.iter().sum::<u64>(),
            99_692,
            "one each 26 s, the newest is at the end and not in it"
        );
    };
    on_postgres(async |fixture| count(fixture, "to_timestamp(1800000000 - i * 26)").await).await;
    let text = "strftime('%Y-%m-%dT%H:%M:%S+00:00', 1800000000 - i * 26, 'unixepoch')";
    on_sqlite(async |fixture| count(fixture, text).await).await;
}
