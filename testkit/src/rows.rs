//! The database of a deployment, accessed outside the product: statements, and all rows as text to compare.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

use crate::connection::{connect, execute_on};
use crate::deployment::Deployment;

/// Excluded because they change without a request or on any request: schedules, processes, idempotent answers, a key's
/// last use, the events of changes, samples of the backlog.
const PASSING_TABLES: [&str; 8] = [
    "leader_lease",
    "schedule",
    "worker",
    "api_process",
    "idempotency",
    "sqlite_sequence",
    "change_log",
    "queue_sample",
];
const PASSING_COLUMN: &str = "last_used_at";
/// Jobs of periodic tasks are excluded.
const PASSING_JOBS: [&str; 2] = ["class maintenance", "class 'maintenance'"];

/// The rows of each table, sorted.
pub type Rows = BTreeMap<String, Vec<String>>;

impl Deployment {
    /// Runs a statement that both databases understand, for states that take minutes or hours to arise.
    pub async fn execute(&self, sql: &str) {
        self.assert_own();
        execute_on(&self.database_url(), sql).await;
    }

    pub async fn connect(&self) -> DatabaseConnection {
        connect(&self.database_url()).await
    }

    fn database_url(&self) -> String {
        let file =
            || format!("sqlite://{}/guildhall.db?mode=rw", self.variable("GUILDHALL_DATA_DIR").unwrap());
        self.variable("GUILDHALL_DATABASE_URL").map_or_else(file, str::to_owned)
    }

    /// Every row of every table, or all except the rows of one guild and of tables without a guild column.
    pub async fn rows(&self, but_of: Option<&str>) -> Rows {
        self.assert_own();
        let connection = self.connect().await;
        let mut rows = Rows::new();
        for table in tables(&connection).await {
            let columns = columns(&connection, &table).await;
            let filter = match but_of {
                Some(guild) if columns.iter().any(|column| column == "guild_id") => {
                    format!("WHERE guild_id IS NULL OR guild_id <> {guild}")
                }
                // A failure belongs to the guild of its job.
                Some(guild) if columns.iter().any(|column| column == "job_id") => {
                    format!("WHERE job_id NOT IN (SELECT job_id FROM job WHERE guild_id = {guild})")
                }
                _ => String::new(),
            };
            let shown = shown(connection.get_database_backend(), &columns);
            let sql = format!("SELECT {shown} FROM {table} {filter} ORDER BY 1");
            let mut texts = texts(&connection, &sql).await;
            texts.retain(|row| table != "job" || !PASSING_JOBS.iter().any(|job| row.contains(job)));
            rows.insert(table, texts);
        }
        connection.close().await.unwrap();
        rows
    }
}

async fn tables(connection: &DatabaseConnection) -> Vec<String> {
    let sql = match connection.get_database_backend() {
        DbBackend::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
        _ => {
            "SELECT table_name::text FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        }
    };
    let mut tables = texts(connection, sql).await;
    tables.retain(|table| !PASSING_TABLES.contains(&table.as_str()));
    assert!(tables.len() > 20, "{tables:?}");
    tables
}

async fn columns(connection: &DatabaseConnection, table: &str) -> Vec<String> {
    let sql = match connection.get_database_backend() {
        DbBackend::Sqlite => format!("SELECT name FROM pragma_table_info('{table}')"),
        _ => format!(
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY ordinal_position"
        ),
    };
    texts(connection, &sql).await
}

/// All columns as one text.
fn shown(backend: DbBackend, columns: &[String]) -> String {
    let each = columns.iter().filter(|column| *column != PASSING_COLUMN).map(|column| match backend {
        DbBackend::Sqlite => format!("'{column} ' || quote(\"{column}\")"),
        _ => format!("'{column} ' || coalesce(\"{column}\"::text, 'NULL')"),
    });
    each.collect::<Vec<_>>().join(" || ', ' || ")
}

async fn texts(connection: &DatabaseConnection, sql: &str) -> Vec<String> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}
