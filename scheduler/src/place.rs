//! A database of a test's own: a SQLite file or, where a server is named, Postgres.

use entities::Timestamp;
use runtime::{Clock, Config, Context, Database, DatabaseOptions, Secret, Shutdown};
use sea_orm::ConnectionTrait;

/// When simulated time begins.
pub(crate) const START: &str = "2026-11-20T12:00:30Z";

pub(crate) struct Place {
    pub(crate) context: Context,
    database_url: String,
    _folder: tempfile::TempDir,
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// One on each kind of database.
pub(crate) async fn places() -> Vec<Place> {
    let mut places = vec![Place::on_sqlite().await];
    places.extend(Place::on_postgres().await);
    places
}

impl Place {
    pub(crate) async fn on_sqlite() -> Self {
        Self::on(None).await
    }

    /// `None`, and said so: no server is named.
    pub(crate) async fn on_postgres() -> Option<Self> {
        match std::env::var("GUILDHALL_TEST_DATABASE_URL") {
            Ok(server) => Some(Self::on(Some(server)).await),
            Err(_) => {
                eprintln!("skipped on Postgres: GUILDHALL_TEST_DATABASE_URL is not set");
                None
            }
        }
    }

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
        context.clock = Clock::manual(at(START));
        migrations::apply(context.database.write()).await.unwrap();
        Self { context, database_url, _folder: folder }
    }

    /// Another process on the same database, with connections and a clock of its own. It shows the same time.
    pub(crate) async fn process(&self) -> Context {
        let clock = Clock::manual(self.context.clock.now());
        // Few connections: other tests want some of the server's, too.
        let options = DatabaseOptions { max_connections: 2, ..DatabaseOptions::default() };
        let database = Database::connect(&self.database_url, &options).await.unwrap();
        Context { clock, database, shutdown: Shutdown::new(), ..self.context.clone() }
    }
}
