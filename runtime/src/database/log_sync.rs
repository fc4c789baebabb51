//! Group commit on SQLite: one sync of its log serves all transactions that ended since the previous sync.
//!
//! SQLite would sync within each commit, while the transaction holds the only writer. Here a commit ends with the write
//! to the log, so the next transaction begins at once, and its caller waits for the sync. Readers, and statements that
//! find nothing to change, may see a change some milliseconds before it is on the disk. Changes reach the disk in order,
//! so a change is never there without the ones that it depends on.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};

use sea_orm::{DbErr, RuntimeErr, SqlxError};
use tokio::sync::oneshot;

/// Waits for the disk on a thread of its own. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct LogSync(Sender<Caller>);

type Caller = oneshot::Sender<Result<(), ErrorKind>>;

impl LogSync {
    pub(super) fn start(log: PathBuf) -> io::Result<Self> {
        let (callers, waiting) = mpsc::channel();
        let serve = move || serve(&log, &waiting);
        std::thread::Builder::new().name("log-sync".to_owned()).spawn(serve)?;
        Ok(Self(callers))
    }

    /// Returns when every transaction that has ended is on the disk.
    pub(super) async fn wait(&self) -> Result<(), DbErr> {
        let (caller, outcome) = oneshot::channel();
        // Without the thread the sender is dropped at once.
        drop(self.0.send(caller));
        let outcome = outcome.await.unwrap_or(Err(ErrorKind::BrokenPipe));
        outcome.map_err(|kind| DbErr::Exec(RuntimeErr::SqlxError(SqlxError::Io(kind.into()).into())))
    }
}

/// Ends with the last handle, or after a sync that failed: the system then drops what it could not write, so
/// a later sync guarantees nothing.
fn serve(log: &Path, waiting: &Receiver<Caller>) {
    while let Ok(first) = waiting.recv() {
        let callers: Vec<Caller> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let outcome = sync(log).map_err(|error| error.kind());
        for caller in callers {
            let _left: Result<(), _> = caller.send(outcome);
        }
        if let Err(kind) = outcome {
            tracing::error!(file = %log.display(), %kind, "the database could not be synced to the disk; restart after the disk is repaired");
            return;
        }
    }
}

/// Opened by name each time: SQLite begins a new log once all connections were closed.
fn sync(log: &Path) -> io::Result<()> {
    match File::open(log) {
        Ok(log) => log.sync_data(),
        // The last connection was closed: SQLite has synced the database itself.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, DbBackend, Statement};

    use super::*;
    use crate::database::{Database, DatabaseOptions};

    #[tokio::test]
    async fn a_log_is_synced_for_all_who_wait_and_a_missing_one_was() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogSync::start(folder.path().join("a.db-wal")).unwrap();
        log.wait().await.unwrap();
        std::fs::write(folder.path().join("a.db-wal"), "frames").unwrap();
        for waited in futures_util::future::join_all((0..100).map(|_| log.wait())).await {
            waited.unwrap();
        }
    }

    #[tokio::test]
    async fn after_a_failed_sync_no_change_is_confirmed() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("a.db").display());
        let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
        database.write().execute_unprepared("CREATE TABLE t (n INTEGER)").await.unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let broken = LogSync::start(folder.path().join("file/in a file")).unwrap();
        let write = database.write().clone().synced(broken);
        let error = write.execute_unprepared("INSERT INTO t VALUES (1)").await.unwrap_err();
        assert!(crate::is_outage(&error), "{error}");
        // What changed nothing needs no sync.
        for (row, synced) in [(99, false), (1, true)] {
            let update = format!("UPDATE t SET n = n WHERE n = {row}");
            let statement = |sql: &str| Statement::from_string(DbBackend::Sqlite, sql);
            assert_eq!(write.execute_raw(statement(&update)).await.is_err(), synced, "{update}");
            let returning = statement(&format!("{update} RETURNING n"));
            assert_eq!(write.query_one_raw(returning.clone()).await.is_err(), synced, "{returning}");
            assert_eq!(write.query_all_raw(returning.clone()).await.is_err(), synced, "{returning}");
        }
        let transaction = write.begin("BEGIN IMMEDIATE").await.unwrap();
        transaction.execute_unprepared("INSERT INTO t VALUES (2)").await.unwrap();
        transaction.commit().await.unwrap_err();
        database
            .read()
            .query_all_raw(Statement::from_string(DbBackend::Sqlite, "SELECT n FROM t"))
            .await
            .unwrap();
    }
}
