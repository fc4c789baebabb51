//! Group commit on SQLite: one sync of its log serves all transactions that ended since the sync before.
//!
//! SQLite would sync within each commit, while the transaction holds the only writer. Here a commit ends with the write
//! to the log, so the next transaction begins at once, and its caller waits for the sync. Readers may see a change some
//! milliseconds before it is on the disk. Changes reach the disk in their order, so what is built upon a change is
//! never there without it.

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
    pub(super) fn start(database: &Path) -> io::Result<Self> {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        let (callers, waiting) = mpsc::channel();
        let serve = move || serve(&PathBuf::from(log), &waiting);
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

/// Ends with the last handle, or after a sync that failed: the system has forgotten then what it could not write, so no
/// later sync could vouch for it.
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

/// By its name each time: SQLite begins a new log once all connections were closed.
fn sync(log: &Path) -> io::Result<()> {
    match File::open(log) {
        Ok(log) => log.sync_data(),
        // The last connection was closed: SQLite has synced the database itself.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
