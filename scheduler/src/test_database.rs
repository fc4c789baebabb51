//! A database for one test, of each kind, and processes on it.

use entities::Timestamp;
use runtime::{Clock, Config, Context, Secret, Shutdown};

/// The start of simulated time.
const START: &str = "2026-11-20T12:00:30Z";

pub(crate) struct TestDatabase {
    pub(crate) context: Context,
    database: testkit::TestDatabase,
}

/// One test database of each kind.
pub(crate) async fn test_databases() -> [TestDatabase; 2] {
    let (sqlite, postgres) = (testkit::TestDatabase::sqlite().await, testkit::TestDatabase::postgres().await);
    [TestDatabase::on(sqlite).await, TestDatabase::on(postgres).await]
}

impl TestDatabase {
    async fn on(database: testkit::TestDatabase) -> Self {
        let database_url = Secret::from(database.url());
        let config = Config { database_url, prefix: "t".to_owned(), broker: None };
        let mut context = Context::embedded(&config, Shutdown::new()).await.unwrap();
        context.clock = Clock::manual(START.parse().unwrap());
        Self { context, database }
    }

    /// Another process on the same database, with its own connections and clock, set to the same time.
    pub(crate) async fn process(&self) -> Context {
        let clock = Clock::manual(self.context.clock.now());
        let database = self.database.open().await;
        Context { clock, database, shutdown: Shutdown::new(), ..self.context.clone() }
    }

    /// Sets the database's time; on SQLite that of its process.
    pub(crate) async fn set_time(&self, to: Timestamp) {
        self.context.clock.set(to);
        if self.database.is_postgres() {
            let sql = format!(
                "CREATE OR REPLACE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE \
                 AS 'SELECT timestamptz ''{}'''",
                to.to_rfc3339()
            );
            self.database.execute(&sql).await;
        }
    }
}
