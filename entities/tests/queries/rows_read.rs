//! How many rows a statement reads, planned without its values: so a connection plans it after some executions.

use entities::approval;
use entities::staff_action::{ActionType, totals};
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
async fn rows_read(conn: &Transaction, table: &str) -> i64 {
    let sql = "SELECT CAST(sum(pg_stat_get_xact_tuples_returned(read)) AS bigint) FROM (
        SELECT $1::regclass AS read UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = $1::regclass) reads";
    let statement = Statement::from_sql_and_values(DatabaseBackend::Postgres, sql, [table.into()]);
    conn.query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

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
