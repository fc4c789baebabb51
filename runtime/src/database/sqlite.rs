//! Opening a SQLite file: WAL, [durable commits](super::log_sync), one writer connection that never expires, readers that cannot write.
//!
//! Other processes (the command line) may use the file beside `serve`: WAL lets them read, the busy timeout serializes
//! writers. A second `serve` may not: its limits and events are in memory, hence [`DataDirLock`].

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sea_orm::sqlx::{ConnectOptions, Connection};
use sea_orm::{DatabaseConnection, SqlxSqliteConnector};

use super::access;
use super::log_sync::LogSync;
use crate::error::StartError;
use crate::settings::DATABASE_URL;

/// How long a writer waits for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The log is copied into the database when it has this many pages of 4 KiB: 32 MiB. Small changes write the
/// same pages repeatedly, and each is copied once.
const CHECKPOINT_AFTER: &str = "8000";
/// Pages that the writer keeps in memory, KiB: a small change writes into some twenty indexes.
const WRITER_CACHE: &str = "-16384";
/// The log file is truncated to this size after a checkpoint, bytes.
const JOURNAL_SIZE_LIMIT: &str = "67108864";

pub(crate) fn file_of(url: &str) -> Result<PathBuf, StartError> {
    parse(url).map(|options| options.get_filename().to_owned())
}

/// An open file.
pub(super) struct Opened {
    pub(super) read: DatabaseConnection,
    pub(super) write: DatabaseConnection,
    pub(super) sync: LogSync,
    /// The file that each transaction is appended to.
    pub(super) log: PathBuf,
}

pub(super) async fn connect(url: &str) -> Result<Opened, StartError> {
    let base = parse(url)?;
    let path = base.get_filename().to_owned();
    let unusable = |reason: String| StartError::DatabaseFile { path: path.clone(), reason };
    create_folder(&path).map_err(|error| unusable(error.to_string()))?;
    access::restrict(&path).map_err(|error| unusable(error.to_string()))?;
    let writer = base
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("journal_size_limit", JOURNAL_SIZE_LIMIT)
        .pragma("wal_autocheckpoint", CHECKPOINT_AFTER)
        .disable_statement_logging();
    let reader = writer.clone().pragma("query_only", "ON");
    let writer = writer.pragma("cache_size", WRITER_CACHE);
    // The writer connects first: it creates the file and switches it to WAL.
    let connected = async { writer.connect().await?.close().await };
    connected.await.map_err(|error| unusable(error.to_string()))?;
    let connection = |options| {
        SqlxSqliteConnector::from_sqlx_sqlite_pool(SqlitePoolOptions::new().connect_lazy_with(options))
    };
    let [_, log, _] = access::files_of(&path);
    let sync = LogSync::start(log.clone()).map_err(|error| unusable(error.to_string()))?;
    Ok(Opened { read: connection(reader), write: connection(writer), sync, log })
}

fn parse(url: &str) -> Result<SqliteConnectOptions, StartError> {
    let wrong = |problem: &str| {
        let problem = format!(
            "{problem}; give postgres://user:password@host:5432/database or sqlite://path/to/file.db"
        );
        StartError::setting(DATABASE_URL, problem)
    };
    if !url.starts_with("sqlite://") {
        return Err(wrong("is not a database URL"));
    }
    let options: SqliteConnectOptions =
        url.parse().map_err(|error| wrong(&format!("is not a usable SQLite URL ({error})")))?;
    let name = options.get_filename().to_string_lossy().into_owned();
    if name.is_empty() || name.starts_with("file:") || url.contains("mode=memory") {
        return Err(wrong("names no file (a database in memory would lose everything at a restart)"));
    }
    Ok(options)
}

/// A folder created here is private to the user: it holds hashes of keys.
fn create_folder(file: &Path) -> std::io::Result<()> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Held by `serve` and `demo` while they run; the system releases it when the process ends in any way.
#[derive(Debug)]
pub struct DataDirLock {
    _file: File,
}

impl DataDirLock {
    /// Locks a SQLite database file against a second `serve`, by a file `<name>.lock` beside it.
    pub fn acquire(database: &Path) -> Result<Self, StartError> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let unusable = |error: std::io::Error| StartError::DatabaseFile {
            path: path.clone(),
            reason: error.to_string(),
        };
        create_folder(database).map_err(unusable)?;
        let mut file = access::create(OpenOptions::new().read(true).write(true).truncate(false), &path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StartError::AlreadyRunning {
                    path: database.to_owned(),
                    holder: holder(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(unusable)?;
        write!(file, "process {}", std::process::id()).map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.is_empty() => text,
        _ => "process unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, Statement};

    use super::*;
    use crate::database::{Database, DatabaseOptions};

    async fn open(path: &Path) -> Database {
        let url = format!("sqlite://{}", path.display());
        Database::connect(&url, &DatabaseOptions::default()).await.unwrap()
    }

    async fn text(connection: &impl ConnectionTrait, sql: &str) -> String {
        let statement = Statement::from_string(connection.get_database_backend(), sql);
        let row = connection.query_one_raw(statement).await.unwrap().unwrap();
        row.try_get_by_index::<String>(0)
            .or_else(|_| row.try_get_by_index::<i64>(0).map(|n| n.to_string()))
            .unwrap()
    }

    #[tokio::test]
    async fn a_fresh_folder_gets_a_durable_wal_file_with_readers_that_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder.path().join("new/deep/guildhall.db")).await;
        for (pragma, expected) in
            [("journal_mode", "wal"), ("synchronous", "1"), ("foreign_keys", "1"), ("busy_timeout", "5000")]
        {
            assert_eq!(text(database.write(), &format!("PRAGMA {pragma}")).await, expected, "{pragma}");
        }
        database.write().execute_unprepared("CREATE TABLE t (n INTEGER)").await.unwrap();
        let refused = database.read().execute_unprepared("INSERT INTO t VALUES (1)").await.unwrap_err();
        assert!(refused.to_string().contains("readonly"), "{refused}");
        database.ping().await.unwrap();
        database.close().await;
    }

    #[tokio::test]
    async fn transactions_take_the_write_lock_with_their_first_statement_and_readers_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guildhall.db");
        let (ours, theirs) = (open(&path).await, open(&path).await);
        ours.write().execute_unprepared("CREATE TABLE t (n INTEGER)").await.unwrap();
        let transaction = ours.begin().await.unwrap();
        assert_eq!(text(&transaction, "SELECT count(*) FROM t").await, "0");
        let other = theirs.begin().await.unwrap();
        let waiting = text(&other, "SELECT count(*) FROM t");
        tokio::pin!(waiting);
        let blocked = tokio::time::timeout(Duration::from_millis(200), &mut waiting).await;
        assert!(blocked.is_err(), "a second write transaction began beside the first");
        assert_eq!(text(theirs.read(), "SELECT count(*) FROM t").await, "0");
        transaction.execute_unprepared("INSERT INTO t VALUES (1)").await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(text(theirs.read(), "SELECT count(*) FROM t").await, "1");
        assert_eq!(waiting.await, "1");
    }

    #[tokio::test]
    async fn only_one_process_at_a_time_serves_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/guildhall.db");
        let lock = DataDirLock::acquire(&path).unwrap();
        let error = DataDirLock::acquire(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        let beside = open(&path).await;
        beside.ping().await.unwrap();
        drop(lock);
        DataDirLock::acquire(&path).unwrap();
    }

    #[test]
    fn urls_without_a_file_are_refused() {
        for url in [
            "",
            "guildhall.db",
            "mysql://localhost/x",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://x.db?mode=memory",
        ] {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.starts_with("GUILDHALL_DATABASE_URL"), "{url}: {error}");
        }
        assert_eq!(file_of("sqlite://./a/b.db").unwrap(), Path::new("./a/b.db"));
    }
}
