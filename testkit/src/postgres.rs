//! Databases on the Postgres of `./test`: the migrated template, and clones of it.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

use crate::connection::{connect, execute, execute_on};

const TEMPLATE: &str = "guildhall_template_";
const TEST: &str = "guildhall_test_";
/// Databases of aborted tests are removed after this many seconds.
const ABANDONED_AFTER: u64 = 3_600;
/// Any constant: test processes wait for the one that builds the template.
const ADVISORY_LOCK: i64 = 0x6775_696c_6474_6573;

/// The name of the migrated template.
pub(crate) async fn template(server: &str) -> String {
    let name = format!("{TEMPLATE}{}", env!("SCHEMA_HASH"));
    let connection = connect(server).await;
    if names(&connection, &name).await.contains(&name) {
        return name;
    }
    execute(&connection, &format!("SELECT pg_advisory_lock({ADVISORY_LOCK})")).await;
    if !names(&connection, &name).await.contains(&name) {
        remove_abandoned(&connection).await;
        let unfinished = format!("{name}_unfinished");
        execute(&connection, &format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        execute(&connection, &format!("CREATE DATABASE {unfinished}")).await;
        let migrated = connect(&with_database(server, &unfinished)).await;
        migrations::apply(&migrated).await.unwrap();
        migrated.close().await.unwrap();
        execute(&connection, &format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    }
    connection.close().await.unwrap();
    name
}

/// Creates a database of a new name; `source` is empty or names its template.
pub(crate) async fn create(server: &str, source: &str) -> String {
    let name = format!("{TEST}{}_{}", now(), uuid::Uuid::now_v7().simple());
    execute_on(server, &format!("CREATE DATABASE {name} {source}")).await;
    name
}

async fn remove_abandoned(connection: &DatabaseConnection) {
    for name in names(connection, TEMPLATE).await {
        // A run of another schema version may be cloning it: then it stays until the next cleanup.
        drop(connection.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name}")).await);
    }
    for name in names(connection, TEST).await {
        let made_at = name[TEST.len()..].split('_').next().and_then(|seconds| seconds.parse::<u64>().ok());
        if made_at.is_some_and(|made_at| made_at + ABANDONED_AFTER < now()) {
            execute(connection, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub(crate) fn with_database(server: &str, name: &str) -> String {
    let (server, query) = server.split_once('?').map_or((server, None), |(url, query)| (url, Some(query)));
    let (address, _) = server.rsplit_once('/').unwrap();
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{address}/{name}{query}")
}

/// Databases whose name has this prefix.
async fn names(connection: &DatabaseConnection, start: &str) -> Vec<String> {
    let sql = format!("SELECT datname::text FROM pg_database WHERE starts_with(datname, '{start}')");
    let rows = connection.query_all_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

/// A program of Postgres, of the newest version: Debian keeps those of each version beside the server, outside of `PATH`.
pub fn postgres_program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let installed =
        versions.map(|version| version.path().join("bin").join(name)).filter(|file| file.is_file());
    installed.max().unwrap_or_else(|| name.into())
}
