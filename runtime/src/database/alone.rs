//! Makes sure that one `serve` alone uses a Postgres: an advisory lock that its session holds.

use std::time::Duration;

use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions, Connection, Error, PgConnection, Row, raw_sql};

use super::postgres::{check_url, explain};
use crate::error::StartError;
use crate::shutdown::Shutdown;

/// Any number that nothing else in the database uses; migrations have another one.
const LOCK_KEY: &str = "7454135263894927986";
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The server needs a moment to notice that the previous process has ended.
const LOCK_TIMEOUT: &str = "2s";
/// Its code for that time.
const LOCK_TIMEOUT_CODE: &str = "55P03";
/// An answer that takes longer counts as a lost connection.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
const HOLDER_QUERY: &str = "\
    SELECT coalesce(client_addr::text, 'this machine') AS address, backend_start::timestamptz(0)::text AS since \
    FROM pg_locks JOIN pg_stat_activity USING (pid) \
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid() \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND (classid::bigint << 32 | objid::bigint) = ";

/// Held until it is dropped.
#[derive(Debug)]
pub struct Alone {
    session: PgConnection,
    url: String,
}

impl Alone {
    /// Refuses if another process holds it, with where that one is.
    pub(crate) async fn acquire(url: &str) -> Result<Self, StartError> {
        let options = check_url(url)?.application_name("guildhall serve");
        let failed = |error: Error| explain(&error, &options);
        let mut session = options.clone().disable_statement_logging().connect().await.map_err(failed)?;
        let lock = AssertSqlSafe(format!(
            "SET lock_timeout = '{LOCK_TIMEOUT}'; SELECT pg_advisory_lock({LOCK_KEY})"
        ));
        match raw_sql(lock).execute(&mut session).await {
            Ok(_) => return Ok(Self { session, url: url.to_owned() }),
            Err(Error::Database(refused)) if refused.code().as_deref() == Some(LOCK_TIMEOUT_CODE) => {}
            Err(error) => return Err(failed(error)),
        }
        let who = raw_sql(AssertSqlSafe(format!("{HOLDER_QUERY}{LOCK_KEY}")))
            .fetch_optional(&mut session)
            .await
            .map_err(failed)?;
        let named = |name: &str| who.as_ref().and_then(|row| row.try_get::<String, _>(name).ok());
        let holder = match (named("address"), named("since")) {
            (Some(address), Some(since)) => format!("connected from {address} since {since}"),
            _ => "which has just ended".to_owned(),
        };
        Err(StartError::Contradiction(format!(
            "another `guildhall serve` uses this database ({holder}); stop that one, or give this one a database of its own \
             (several processes on one database are `api`, `worker` and `scheduler`)"
        )))
    }

    /// Holds it until the process ends. A lost connection loses it: it is taken again, and a process that finds another one
    /// in its place stops.
    pub fn keep(mut self, shutdown: &Shutdown) {
        let (shutdown, hard) = (shutdown.clone(), shutdown.hard().clone());
        let services = shutdown.services().clone();
        services.spawn(async move {
            while hard.run_until_cancelled(tokio::time::sleep(CHECK_INTERVAL)).await.is_some() {
                let alive = tokio::time::timeout(ANSWER_TIMEOUT, self.session.ping()).await;
                if matches!(alive, Ok(Ok(()))) {
                    continue;
                }
                match tokio::time::timeout(ANSWER_TIMEOUT, Self::acquire(&self.url)).await {
                    Ok(Ok(again)) => self = again,
                    Ok(Err(error @ StartError::Contradiction(_))) => {
                        tracing::error!(%error, "the connection that held the database was lost, so this process stops");
                        shutdown.begin();
                        return;
                    }
                    Ok(Err(error)) => {
                        crate::warn_throttled!(%error, "the lock on the database is not held: no connection");
                    }
                    Err(_) => {}
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_one_is_refused_until_the_first_has_gone() {
        let Ok(url) = std::env::var("GUILDHALL_TEST_DATABASE_URL") else {
            eprintln!("skipped database::alone: GUILDHALL_TEST_DATABASE_URL is not set");
            return;
        };
        let first = Alone::acquire(&url).await.unwrap();
        let refused = Alone::acquire(&url).await.unwrap_err().to_string();
        assert!(
            refused.starts_with("another `guildhall serve` uses this database (connected from "),
            "{refused}"
        );
        first.session.close().await.unwrap();
        Alone::acquire(&url).await.unwrap();
    }
}
