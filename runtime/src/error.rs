//! Startup errors: one clear sentence each, with the remedy. They contain no password: URLs are named by host, port and
//! user only.

use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A flag or variable with an invalid value. `problem` says what is wrong and what to give instead.
    #[error("{variable} {problem}")]
    Setting { variable: &'static str, problem: String },
    #[error("{set} is set but {missing} is not: set both (RabbitMQ and Redis) or neither")]
    HalfPair { set: &'static str, missing: &'static str },
    /// An invalid combination, with the remedy.
    #[error("{0}")]
    Contradiction(String),
    #[error(
        "cannot reach {what} at {target}: {reason}; check that it runs and that {variable} names the right host and port"
    )]
    Unreachable { what: &'static str, target: String, reason: String, variable: &'static str },
    #[error("{what} at {target} refused the credentials ({reason}); check user and password in {variable}")]
    Credentials { what: &'static str, target: String, reason: String, variable: &'static str },
    #[error(
        "database `{database}` does not exist on {target}; create it (`createdb {database}`) or correct GUILDHALL_DATABASE_URL"
    )]
    DatabaseMissing { database: String, target: String },
    #[error("cannot open the database file {}: {reason}", path.display())]
    DatabaseFile { path: PathBuf, reason: String },
    #[error("the database at {target} does not work: {reason}")]
    Database { target: String, reason: String },
    #[error(
        "the database schema is {pending} migration(s) behind this program; run `guildhall migrate` first"
    )]
    OldSchema { pending: usize },
    #[error(
        "the database schema is newer than this program (version {version} does not know {unknown}); run the version of \
         `guildhall` that migrated it, or a later one"
    )]
    NewSchema { unknown: String, version: &'static str },
    #[error("{} is in use by another `guildhall serve` ({holder}); stop that one, or give this one its own GUILDHALL_DATA_DIR", path.display())]
    AlreadyRunning { path: PathBuf, holder: String },
    #[error(
        "cannot listen on {address}: {reason}; free it or choose another address with {variable} (port 0: any free one)"
    )]
    Listen { address: SocketAddr, reason: String, variable: &'static str },
}

impl StartError {
    pub(crate) fn setting(variable: &'static str, problem: impl Into<String>) -> Self {
        Self::Setting { variable, problem: problem.into() }
    }
}
