//! A database for one test, on SQLite and, if a server is configured, on Postgres, and processes on it.

use entities::Timestamp;
use runtime::{Clock, Config, Context, Database, DatabaseOptions, Secret, Shutdown};
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};

/// The start of simulated time.
const START: &str = "2026-11-20T12:00:30Z";

pub(crate) struct TestDatabase {
    pub(crate) context: Context,
    database_url: String,
    _folder: tempfile::TempDir,
}

/// One test database of each kind.
pub(crate) async fn test_databases() -> Vec<TestDatabase> {
    let mut databases = vec![TestDatabase::on(None).await];
    match std::env::var("GUILDHALL_TEST_DATABASE_URL") {
        Ok(server) => databases.push(TestDatabase::on(Some(server)).await),
        Err(_) => eprintln!("skipped on Postgres: GUILDHALL_TEST_DATABASE_URL is not set"),
    }
    databases
}

impl TestDatabase {
    async fn on(server: Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database_url = match server {
            None => format!("sqlite://{}/ticks.db", folder.path().display()),
            Some(server) => {
                let name = format!("t{}", uuid::Uuid::now_v7().simple());
                let conn = sea_orm::Database::connect(&server).await.unwrap();
                conn.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
                format!("{}/{name}", server.rsplit_once('/').unwrap().0)
            }
        };
        let config = Config {
            database_url: Secret::from(database_url.as_str()),
            prefix: "t".to_owned(),
            broker: None,
        };
        let mut context = Context::embedded(&config, Shutdown::new()).await.unwrap();
        context.clock = Clock::manual(START.parse().unwrap());
        migrations::apply(context.database.write()).await.unwrap();
        Self { context, database_url, _folder: folder }
    }

    /// Another process on the same database, with its own connections and clock, set to the same time.
    pub(crate) async fn process(&self) -> Context {
        let clock = Clock::manual(self.context.clock.now());
        // Few connections: other tests use the same server.
        let options = DatabaseOptions { max_connections: 2, ..DatabaseOptions::default() };
        let database = Database::connect(&self.database_url, &options).await.unwrap();
        Context { clock, database, shutdown: Shutdown::new(), ..self.context.clone() }
    }

    /// Sets the database's time; on SQLite that of its process.
    pub(crate) async fn set_time(&self, to: Timestamp) {
        self.context.clock.set(to);
        if self.context.database.is_postgres() {
            let sql = format!(
                "CREATE OR REPLACE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE \
                 AS 'SELECT timestamptz ''{}'''",
                to.to_rfc3339()
            );
            let statement = Statement::from_string(DatabaseBackend::Postgres, sql);
            self.context.database.write().execute_raw(statement).await.unwrap();
        }
    }
}
