//! A migrated database for each test: a Postgres database or a SQLite file, cloned from a template that is migrated
//! once for each version of the schema.

use std::path::Path;

use entities::{GuildId, Timestamp, guild};
use runtime::{Database, DatabaseOptions};
use sea_orm::ConnectionTrait;

use crate::cleanup::clean_up;
use crate::connection::{connect, execute_on};
use crate::servers::Servers;
use crate::{postgres, sqlite};

pub struct TestDatabase {
    url: String,
    place: Place,
}

enum Place {
    /// Deleted on drop, unless it is in a folder of the caller's.
    File {
        _folder: Option<tempfile::TempDir>,
    },
    Server {
        server: String,
        name: String,
    },
}

impl TestDatabase {
    /// A SQLite file in its own folder.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut database = Self::sqlite_file(&folder.path().join("test.db")).await;
        database.place = Place::File { _folder: Some(folder) };
        database
    }

    /// A new SQLite file at this path.
    pub async fn sqlite_file(file: &Path) -> Self {
        sqlite::copy_template(file).await;
        Self { url: format!("sqlite://{}", file.display()), place: Place::File { _folder: None } }
    }

    /// A database on the Postgres of `./test`.
    pub async fn postgres() -> Self {
        Self::on_server(&Servers::from_env().database).await
    }

    pub async fn on_server(server: &str) -> Self {
        let template = postgres::template(server).await;
        Self::create(server, &format!("TEMPLATE {template}")).await
    }

    /// A database on this server without tables.
    pub async fn empty_on_server(server: &str) -> Self {
        Self::create(server, "").await
    }

    async fn create(server: &str, source: &str) -> Self {
        let name = postgres::create(server, source).await;
        let url = postgres::with_database(server, &name);
        Self { url, place: Place::Server { server: server.to_owned(), name } }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.place, Place::Server { .. })
    }

    /// Opens the database as the product does.
    pub async fn open(&self) -> Database {
        let options = DatabaseOptions { max_connections: 4, ..DatabaseOptions::default() };
        Database::connect(&self.url, &options).await.unwrap()
    }

    /// Runs a statement for a state that cannot be reached otherwise.
    pub async fn execute(&self, sql: &str) {
        execute_on(&self.url, sql).await;
    }

    pub async fn count(&self, sql: &str) -> i64 {
        let connection = connect(&self.url).await;
        let statement = sea_orm::Statement::from_string(connection.get_database_backend(), sql);
        let row = connection.query_one_raw(statement).await.unwrap();
        let count = row.unwrap().try_get_by_index(0).unwrap();
        connection.close().await.unwrap();
        count
    }
}

impl Drop for TestDatabase {
    /// Ends its connections and drops it.
    fn drop(&mut self) {
        if let Place::Server { server, name } = &self.place {
            let dropped = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            clean_up(async { execute_on(server, &dropped).await });
        }
    }
}

/// A guild with the defaults of a new one.
pub fn guild_row(guild_id: GuildId, created_at: Timestamp) -> guild::Model {
    guild::Model::new(guild_id, "Guild".to_owned(), created_at)
}
