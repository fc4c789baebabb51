//! How many rows a statement reads, planned without its values: so a connection plans it after some executions.

use entities::sanction::active::{self, Against};
use entities::staff_action::{ActionType, totals};
use entities::{GuildId, approval, bulk, link};
use runtime::Transaction;
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};

use crate::actions::action;
use crate::fixture::{Fixture, at, chat, guild, on_postgres};

/// One member with 3,000 actions among others with 30.
const ACTIONS: &str = "
INSERT INTO staff_action (guild_id, staff_id, action_type, nth, counted_at, target_id, details, created_at)
SELECT 7000000000000000000, 1000000000000000000 + staff, 'ban', i, '2026-04-12T18:33:21+00:00', '10001', 'null',
    '2026-04-12T18:33:21+00:00'
FROM generate_series(1, 100) staff, generate_series(1, 3000) i WHERE staff = 1 OR i <= 30";

/// Of the table and its indexes, in this transaction.
pub(crate) async fn rows_read(conn: &Transaction, table: &str) -> i64 {
    let sql = "SELECT CAST(sum(pg_stat_get_xact_tuples_returned(read)) AS bigint) FROM (
        SELECT $1::regclass AS read UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = $1::regclass) reads";
    let statement = Statement::from_sql_and_values(DatabaseBackend::Postgres, sql, [table.into()]);
    conn.query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

/// All links and bans are of one guild; the others have none. Most of its bans are over.
const ONE_GUILD: [&str; 2] = [
    "INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at)
SELECT 7000000000000000000, 1000000000000000000 + i, 10000 + i, 'p', '2026-04-12T18:33:21+00:00'
FROM generate_series(1, 20000) i",
    "INSERT INTO sanction (guild_id, kind, chat_id, play_id, reason, moderator_id, created_at, lifted_at, lifted_how,
    mirror_state, revision)
SELECT 7000000000000000000, 'ban', CASE WHEN i % 2 = 0 THEN 1000000000000000000 + i END,
    CASE WHEN i % 2 = 1 THEN 10000 + i END, 'r', 9, '2026-04-12T18:33:21+00:00',
    CASE WHEN i % 40 > 1 THEN CAST('2026-04-12T18:33:21+00:00' AS timestamptz) END,
    CASE WHEN i % 40 > 1 THEN 'lifted' END, 'none', 1
FROM generate_series(1, 20000) i",
];

impl Fixture {
    async fn begin_with_generic_plans(&self) -> Transaction {
        let conn = self.begin().await;
        conn.execute_unprepared("SET LOCAL plan_cache_mode = force_generic_plan").await.unwrap();
        conn
    }
}

#[tokio::test]
async fn actions_are_numbered_and_counted_without_reading_all() {
    on_postgres(async |fixture| {
        fixture.execute(ACTIONS).await;
        fixture.execute("VACUUM ANALYZE").await;
        let conn = fixture.begin_with_generic_plans().await;
        let new = vec![action(1, ActionType::Ban), action(1, ActionType::Ban)];
        approval::record(&conn, new, at(0)).await.unwrap();
        assert_eq!(totals::of_staff(&conn, guild(), chat(1)).await.unwrap(), 3_002);
        let read = rows_read(&conn, "staff_action").await;
        assert!(read < 20, "{read}");
    })
    .await;
}

/// Planned with and without its values.
#[tokio::test]
async fn guilds_that_are_read_together_cost_their_own_rows() {
    on_postgres(async |fixture| {
        for sql in ONE_GUILD {
            fixture.execute(sql).await;
        }
        fixture.execute("VACUUM ANALYZE").await;
        let mut guilds: Vec<GuildId> = (1..=32).map(|id| id.try_into().unwrap()).collect();
        for (rows, of_bans) in [(0, 0), (1_000, 500)] {
            for conn in [fixture.begin().await, fixture.begin_with_generic_plans().await] {
                let limit = 1_000;
                assert_eq!(link::pairs(&conn, &guilds, limit).await.unwrap().len(), rows);
                for against in [Against::Chats, Against::Plays] {
                    let bans = active::of_guilds(&conn, &guilds, against, at(0), limit).await.unwrap();
                    assert_eq!(bans.len(), of_bans);
                }
                let read = rows_read(&conn, "link").await + rows_read(&conn, "sanction").await;
                assert!(read < 4 * i64::try_from(rows).unwrap() + 100, "{read} for {rows}");
            }
            guilds.push(guild());
        }
    })
    .await;
}

#[tokio::test]
async fn a_guild_that_is_read_in_parts_costs_its_rows_once() {
    on_postgres(async |fixture| {
        for sql in ONE_GUILD {
            fixture.execute(sql).await;
        }
        fixture.execute("VACUUM ANALYZE").await;
        for conn in [fixture.begin().await, fixture.begin_with_generic_plans().await] {
            let (mut links, mut parts) = (Vec::new(), 0);
            while links.len() < 20_000 {
                let after = links.last().map(|pair: &link::Pair| pair.chat_id);
                links.extend(link::pairs_of(&conn, guild(), after, 2_000).await.unwrap());
                parts += 1;
            }
            assert_eq!(parts, 10);
            let mut bans = Vec::new();
            while bans.len() < 500 {
                bans.extend(
                    active::of_guild(&conn, guild(), Against::Plays, at(0), bans.last(), 50).await.unwrap(),
                );
            }
            let read = [rows_read(&conn, "link").await, rows_read(&conn, "sanction").await];
            assert!(read[0] < 41_000 && read[1] < 2_000, "{read:?}");
        }
    })
    .await;
}

/// Each connection keeps the plans of its first minute.
#[tokio::test]
async fn plans_made_after_a_small_import_fit_a_table_that_has_grown() {
    on_postgres(async |fixture| {
        fixture.execute(&ACTIONS.replace("staff = 1 OR i <= 30", "i = 1")).await;
        bulk::finish(fixture.conn()).await.unwrap();
        let conn = fixture.begin_with_generic_plans().await;
        let one = || vec![action(1, ActionType::Ban)];
        approval::record(&conn, one(), at(0)).await.unwrap();
        conn.execute_unprepared(&ACTIONS.replace("staff = 1 OR i <= 30", "staff > 1 AND i BETWEEN 2 AND 31"))
            .await
            .unwrap();
        let before = rows_read(&conn, "staff_action").await;
        approval::record(&conn, one(), at(0)).await.unwrap();
        let read = rows_read(&conn, "staff_action").await - before;
        assert!(read < 20, "{read}");
    })
    .await;
}
