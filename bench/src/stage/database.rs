//! A fresh Postgres database for each test, cloned from one that was migrated once for this build of the product.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, Statement};

use super::{World, run_command};

const TEMPLATE: &str = "guildhall_template_";
const TEST: &str = "guildhall_test_";
/// Databases of tests that did not get to remove them are removed after this many seconds.
const ABANDONED_AFTER: u64 = 3_600;
/// Any constant: makes test processes that want the template wait for the one that builds it.
const ADVISORY_LOCK: i64 = 0x6775_696c_6474_6573;

pub struct TestDatabase {
    server: String,
    name: String,
    pub url: String,
}

impl TestDatabase {
    /// Migrated.
    pub async fn create(server: &str, folder: &Path) -> Self {
        let template = template(server, folder).await;
        Self::create_from(server, &format!("TEMPLATE {template}")).await
    }

    /// Without any table.
    pub async fn create_empty(server: &str) -> Self {
        Self::create_from(server, "").await
    }

    async fn create_from(server: &str, source: &str) -> Self {
        let name = format!("{TEST}{}_{}", now(), uuid::Uuid::now_v7().simple());
        let connection = connect(server).await;
        execute(&connection, &format!("CREATE DATABASE {name} {source}")).await;
        connection.close().await.unwrap();
        Self { server: server.to_owned(), url: with_database(server, &name), name }
    }

    pub async fn remove(self) {
        let connection = connect(&self.server).await;
        execute(&connection, &format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
        connection.close().await.unwrap();
    }

    /// Runs a statement of a test that has no other way to bring about a state.
    pub async fn execute(&self, sql: &str) {
        let connection = connect(&self.url).await;
        execute(&connection, sql).await;
        connection.close().await.unwrap();
    }

    /// One number.
    pub async fn count(&self, sql: &str) -> i64 {
        let connection = connect(&self.url).await;
        let row = connection.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
        let count = row.unwrap().try_get_by_index(0).unwrap();
        connection.close().await.unwrap();
        count
    }
}

async fn template(server: &str, folder: &Path) -> String {
    let name = format!("{TEMPLATE}{}", build_id());
    let connection = connect(server).await;
    execute(&connection, &format!("SELECT pg_advisory_lock({ADVISORY_LOCK})")).await;
    if !names(&connection, &name).await.contains(&name) {
        remove_abandoned(&connection).await;
        let unfinished = format!("{name}_unfinished");
        execute(&connection, &format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        execute(&connection, &format!("CREATE DATABASE {unfinished}")).await;
        let url = with_database(server, &unfinished);
        run_command(&["migrate"], &[("GUILDHALL_DATABASE_URL".to_owned(), url)], folder).await.succeeded();
        execute(&connection, &format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    }
    connection.close().await.unwrap();
    name
}

async fn remove_abandoned(connection: &DatabaseConnection) {
    for name in names(connection, TEMPLATE).await {
        // That of another build of today may be in use by another checkout.
        let built =
            name[TEMPLATE.len()..].split('_').next().and_then(|built| u128::from_str_radix(built, 16).ok());
        if built.is_some_and(|built| built / 1_000_000_000 + u128::from(ABANDONED_AFTER) > now().into()) {
            continue;
        }
        // Somebody else's run may be cloning it: then it stays for the next time.
        drop(connection.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name}")).await);
    }
    for name in names(connection, TEST).await {
        let made_at = name[TEST.len()..].split('_').next().and_then(|seconds| seconds.parse::<u64>().ok());
        if made_at.is_some_and(|made_at| made_at + ABANDONED_AFTER < now()) {
            execute(connection, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
    }
}

/// Changes with every build, so a template never outlives the migrations it was made by.
fn build_id() -> String {
    let file = std::fs::metadata(super::process::binary()).unwrap();
    let built = file.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
    format!("{:x}_{:x}", built.as_nanos(), file.len())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn with_database(server: &str, name: &str) -> String {
    let (address, _) = server.rsplit_once('/').unwrap();
    format!("{address}/{name}")
}

pub(crate) async fn connect(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.min_connections(1).max_connections(1).sqlx_logging(false);
    sea_orm::Database::connect(options).await.unwrap()
}

async fn execute(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Databases whose name begins like this.
async fn names(connection: &DatabaseConnection, start: &str) -> Vec<String> {
    let sql = format!("SELECT datname::text FROM pg_database WHERE starts_with(datname, '{start}')");
    let rows = connection.query_all_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

impl World {
    /// Runs a statement that both databases understand, for states that take minutes or hours to come about.
    pub async fn execute(&self, sql: &str) {
        let connection = self.connect().await;
        execute(&connection, sql).await;
        connection.close().await.unwrap();
    }

    /// One connection to the database of this world, past the product.
    pub(crate) async fn connect(&self) -> DatabaseConnection {
        match &self.database {
            Some(database) => connect(&database.url).await,
            None => {
                let file = self.folder().join("data/guildhall.db");
                connect(&format!("sqlite://{}?mode=rw", file.display())).await
            }
        }
    }
}
