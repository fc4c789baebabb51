use sea_orm::Statement;
use sea_orm_migration::MigrationTrait;
use testkit::{TestDatabase, eventually};

use super::*;

const CHANGES: [Change; 3] = [
    Change { name: "t1_table", sql: "CREATE TABLE item (item_id bigint PRIMARY KEY, name text);\n" },
    Change {
        name: "t2_index",
        sql: "CREATE INDEX {concurrently} item_by_name ON item (name);\n\nCREATE INDEX {concurrently} item_twice ON item (name, item_id);\n",
    },
    Change { name: "t3_more", sql: "ALTER TABLE item ADD COLUMN size bigint;\n" },
];

struct Items;

impl MigratorTrait for Items {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        CHANGES.iter().map(|change| Box::new(*change) as Box<dyn MigrationTrait>).collect()
    }
}

async fn indexes(database: &DatabaseConnection) -> i64 {
    let sql = match database.get_database_backend() {
        DatabaseBackend::Postgres => {
            "SELECT count(*) FROM pg_index WHERE indisvalid AND indrelid = 'item'::regclass AND NOT indisprimary"
        }
        _ => {
            "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'item' AND sql IS NOT NULL"
        }
    };
    let statement = Statement::from_string(database.get_database_backend(), sql);
    database.query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

async fn waits(database: &TestDatabase) -> bool {
    database.count("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'virtualxid'").await > 0
}

#[tokio::test]
async fn sqlite_has_everything_in_one_transaction() {
    let database = sea_orm::Database::connect("sqlite::memory:").await.unwrap();
    let applied = apply::<Items>(&database, &CHANGES).await.unwrap();
    assert_eq!((applied.len(), indexes(&database).await), (3, 2));
    assert!(apply::<Items>(&database, &CHANGES).await.unwrap().is_empty());
}

#[tokio::test]
async fn postgres_builds_indexes_beside_writers_and_two_runs_take_turns() {
    let Ok(server) = std::env::var("GUILDHALL_TEST_DATABASE_URL") else {
        eprintln!("skipped migrations::apply: GUILDHALL_TEST_DATABASE_URL is not set");
        return;
    };
    let empty = TestDatabase::empty_on_server(&server).await;
    let opened = empty.open().await;
    let database = opened.write().unbounded();
    let other = empty.open().await;
    // The first change, and an index that an interrupted run left behind.
    together::<Items>(database, 1).await.unwrap();
    database.execute_unprepared("INSERT INTO item VALUES (1, 'a'), (2, 'a')").await.unwrap();
    let broken = "CREATE UNIQUE INDEX CONCURRENTLY item_by_name ON item (name)";
    database.execute_unprepared(broken).await.unwrap_err();
    // A writer whose transaction is open holds up no one: in one transaction the build would wait for its lock.
    let writer = opened.begin().await.unwrap();
    writer.execute_unprepared("INSERT INTO item VALUES (3, 'b')").await.unwrap();
    let runs = async {
        tokio::join!(apply::<Items>(database, &CHANGES), apply::<Items>(other.write().unbounded(), &CHANGES))
    };
    let write = async {
        // As long as the build waits for the older transaction, others write.
        eventually("the build waits", Duration::from_secs(10), async || waits(&empty).await.then_some(()))
            .await;
        opened.write().execute_unprepared("INSERT INTO item VALUES (4, 'c')").await.unwrap();
        writer.commit().await.unwrap();
    };
    let ((one, two), ()) = tokio::join!(runs, write);
    let mut counts = [one.unwrap().len(), two.unwrap().len()];
    counts.sort_unstable();
    assert_eq!((counts, indexes(database).await), ([0, 2], 2));
    opened.close().await;
    other.close().await;
}
