//! Connecting to Postgres. The first connection is opened directly: the pool would hide the cause of a failure behind a
//! timeout.

use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions, Error, PgConnection};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};

use super::options::DatabaseOptions;
use super::sessions;
use crate::error::StartError;
use crate::settings::DATABASE_URL;

/// Timeout of the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The server ends a transaction left open by a frozen process, so that statements that wait for its locks get them
/// before their own timeout (30 s). Our transactions wait only for the database.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(15);
const WHAT: &str = "Postgres";

pub(crate) fn check_url(url: &str) -> Result<PgConnectOptions, StartError> {
    // Parse errors name the wrong part of the URL, but never repeat the URL.
    url.parse::<PgConnectOptions>().map_err(|error| {
        let problem = format!(
            "is not a usable Postgres URL ({error}); the form is postgres://user:password@host:5432/database"
        );
        StartError::setting(DATABASE_URL, problem)
    })
}

/// The source of a pool's connections, and two of them, which were checked.
pub(super) async fn connect(
    url: &str,
    options: &DatabaseOptions,
) -> Result<(DatabaseConnection, [PgConnection; 2]), StartError> {
    let connect = with_session_settings(check_url(url)?, options);
    let checked = async {
        let (mut one, mut two) = tokio::try_join!(connect.connect(), connect.connect())?;
        let problem = sessions::problem(&mut one, &mut two, &settings(options)).await?;
        Ok::<_, Error>(([one, two], problem))
    };
    let connections = match tokio::time::timeout(CONNECT_TIMEOUT, checked).await {
        Ok(Ok((connections, None))) => connections,
        Ok(Ok((_, Some(reason)))) => return Err(StartError::Database { target: target(&connect), reason }),
        Ok(Err(error)) => return Err(explain(&error, &connect)),
        Err(_) => return Err(unreachable(&connect, "no answer within 5 s".to_owned())),
    };
    let pool = PgPoolOptions::new().max_connections(options.max_connections).connect_lazy_with(connect);
    Ok((SqlxPostgresConnector::from_sqlx_postgres_pool(pool), connections))
}

fn with_session_settings(connect: PgConnectOptions, options: &DatabaseOptions) -> PgConnectOptions {
    connect.options(settings(options)).application_name(options.application_name).disable_statement_logging()
}

/// Each in the unit and the words of `pg_settings`.
fn settings(options: &DatabaseOptions) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        // Set here, so that it costs no round trip in each transaction.
        ("default_transaction_isolation", "read committed".to_owned()),
        ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION.as_millis().to_string()),
    ];
    if let Some(timeout) = options.statement_timeout {
        settings.push(("statement_timeout", timeout.as_millis().to_string()));
    }
    settings
}

fn target(connect: &PgConnectOptions) -> String {
    match connect.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", connect.get_host(), connect.get_port()),
    }
}

fn unreachable(connect: &PgConnectOptions, reason: String) -> StartError {
    StartError::Unreachable { what: WHAT, target: target(connect), reason, variable: DATABASE_URL }
}

pub(super) fn explain(error: &Error, connect: &PgConnectOptions) -> StartError {
    match error {
        Error::Io(io) => unreachable(connect, io.to_string()),
        Error::PoolTimedOut => unreachable(connect, "no free connection".to_owned()),
        Error::Database(refused) => explain_refusal(refused.code().as_deref(), refused.message(), connect),
        other => StartError::Database { target: target(connect), reason: other.to_string() },
    }
}

/// Codes: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn explain_refusal(code: Option<&str>, message: &str, connect: &PgConnectOptions) -> StartError {
    let (target, reason) = (target(connect), message.to_owned());
    match code {
        // 28000 also means "this role does not exist".
        Some("28P01" | "28000") => {
            StartError::Credentials { what: WHAT, target, reason, variable: DATABASE_URL }
        }
        Some("3D000") => {
            let database = connect.get_database().unwrap_or_else(|| connect.get_username()).to_owned();
            StartError::DatabaseMissing { database, target }
        }
        // A pooler that accepts no settings.
        Some("08P01") if message.contains("startup parameter") => {
            let reason = format!("{message}; {}", sessions::REMEDY);
            StartError::Database { target, reason }
        }
        _ => StartError::Database { target, reason },
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, DbBackend, Statement};

    use super::*;
    use crate::database::Database;

    fn options() -> PgConnectOptions {
        check_url("postgres://ann:hunter2@db.example:6000/hall").unwrap()
    }

    #[test]
    fn refusals_are_distinguished_and_name_no_password() {
        let wrong =
            explain_refusal(Some("28P01"), "password authentication failed for user \"ann\"", &options());
        assert!(matches!(wrong, StartError::Credentials { .. }), "{wrong}");
        let missing = explain_refusal(Some("3D000"), "database \"hall\" does not exist", &options());
        assert!(
            missing.to_string().starts_with("database `hall` does not exist on db.example:6000"),
            "{missing}"
        );
        let other = explain_refusal(Some("53300"), "sorry, too many clients already", &options());
        for error in [wrong, missing, other] {
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_bad_url_is_refused_without_being_repeated() {
        let error = check_url("postgres://ann:hunter2@host:port/hall").unwrap_err().to_string();
        assert!(error.starts_with("GUILDHALL_DATABASE_URL is not a usable Postgres URL"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[tokio::test]
    async fn a_closed_port_is_unreachable_at_once() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let url = format!("postgres://ann:hunter2@127.0.0.1:{port}/hall");
        let error = connect(&url, &DatabaseOptions::default()).await.unwrap_err();
        assert!(matches!(error, StartError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");
    }

    #[tokio::test]
    async fn a_server_gets_our_session_settings_and_a_missing_database_is_named() {
        let Ok(url) = std::env::var("GUILDHALL_TEST_DATABASE_URL") else {
            eprintln!("skipped database::postgres: GUILDHALL_TEST_DATABASE_URL is not set");
            return;
        };
        let options =
            DatabaseOptions { statement_timeout: Some(Duration::from_millis(300)), ..Default::default() };
        let database = Database::connect(&url, &options).await.unwrap();
        assert!(database.is_postgres());
        let transaction = database.begin().await.unwrap();
        for (setting, expected) in [
            ("transaction_isolation", "read committed"),
            ("statement_timeout", "300ms"),
            ("idle_in_transaction_session_timeout", "15s"),
            ("application_name", "guildhall"),
        ] {
            let show = Statement::from_string(DbBackend::Postgres, format!("SHOW {setting}"));
            let row = transaction.query_one_raw(show).await.unwrap().unwrap();
            assert_eq!(row.try_get_by_index::<String>(0).unwrap(), expected, "{setting}");
        }
        let cut = transaction.execute_unprepared("SELECT pg_sleep(5)").await.unwrap_err();
        assert!(cut.to_string().contains("statement timeout"), "{cut}");
        drop(transaction);
        let (server, _) = url.rsplit_once('/').unwrap();
        let missing = Database::connect(&format!("{server}/no_such_hall"), &options).await.unwrap_err();
        assert!(
            matches!(&missing, StartError::DatabaseMissing { database, .. } if database == "no_such_hall"),
            "{missing}"
        );
        database.close().await;
    }
}
