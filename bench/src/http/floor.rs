//! The upper bound of any service on this database: `pgbench` with as many clients on the same server, or
//! commits of one row on a SQLite file, one after the other.

use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{ConnectOptions, Executor, SqliteConnection};
use testkit::{Deployment, Mode, Servers, TestDatabase, postgres_program};

use crate::figures::float;

/// The least time of a measurement, seconds: `pgbench` connects all its clients within it.
const SECONDS: u64 = 5;
/// Rows of `pgbench`, in units of 100,000.
const SCALE: &str = "10";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Floor {
    /// A transaction that writes.
    Commit,
    /// A read by primary key; only Postgres.
    Select,
}

impl Floor {
    pub(super) fn name(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Self::Commit, Mode::Distributed) => "pgbench -N",
            (Self::Select, Mode::Distributed) => "pgbench -S -M prepared",
            (_, Mode::Embedded) => "bare commits",
        }
    }
}

/// A database beside the product's, on the same server or disk.
pub(super) enum Ground {
    Postgres(TestDatabase),
    /// Its URL.
    File(String),
}

impl Ground {
    pub(super) async fn prepare(deployment: &Deployment) -> anyhow::Result<Self> {
        if deployment.mode() == Mode::Distributed {
            let database = TestDatabase::empty_on_server(&Servers::from_env().database).await;
            pgbench(&["--initialize", "--quiet", "--scale", SCALE, database.url()])?;
            return Ok(Self::Postgres(database));
        }
        let url = format!("sqlite://{}", deployment.folder().join("floor.db").display());
        let mut connection = connect(&url).await?;
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)").await?;
        Ok(Self::File(url))
    }

    /// Transactions a second; `None`: there is no such floor on this database.
    pub(super) async fn measure(
        &self,
        floor: Floor,
        clients: usize,
        seconds: u64,
    ) -> anyhow::Result<Option<f64>> {
        let seconds = seconds.max(SECONDS);
        match (self, floor) {
            (Self::File(_), Floor::Select) => Ok(None),
            (Self::File(url), Floor::Commit) => commits(url, seconds).await.map(Some),
            (Self::Postgres(database), floor) => {
                let kind: &[&str] = match floor {
                    Floor::Commit => &["-N"],
                    Floor::Select => &["-S", "-M", "prepared"],
                };
                let (clients, seconds) = (clients.to_string(), seconds.to_string());
                let load = ["--no-vacuum", "--client", &clients, "--time", &seconds, database.url()];
                let text = pgbench(&[kind, &load].concat())?;
                let rate = text.lines().find_map(|line| line.strip_prefix("tps = "));
                let rate = rate.and_then(|rate| rate.split(' ').next());
                Ok(Some(rate.with_context(|| format!("pgbench measured nothing: {text}"))?.parse()?))
            }
        }
    }
}

async fn connect(url: &str) -> anyhow::Result<SqliteConnection> {
    let options = SqliteConnectOptions::from_str(url)?.create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    Ok(options.connect().await?)
}

/// Each syncs the log separately.
async fn commits(url: &str, seconds: u64) -> anyhow::Result<f64> {
    let mut connection = connect(url).await?;
    let (began, mut count) = (Instant::now(), 0_usize);
    while began.elapsed() < Duration::from_secs(seconds) {
        connection.execute("INSERT INTO t (text) VALUES ('a row')").await?;
        count += 1;
    }
    Ok(float(count) / began.elapsed().as_secs_f64())
}

fn pgbench(args: &[&str]) -> anyhow::Result<String> {
    let output =
        Command::new(postgres_program("pgbench")).args(args).output().context("cannot run pgbench")?;
    anyhow::ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
