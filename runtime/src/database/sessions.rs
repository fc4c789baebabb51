//! Detects at the start what a pooler between us and Postgres breaks: prepared statements, advisory locks and
//! settings live in a session of the server, which a pooler such as `PgBouncer` may give to another
//! connection after each transaction or statement.

use sea_orm::sqlx::{Error, PgConnection, Row, raw_sql};

const SHARED: &str = "a pooler gives its sessions to several connections, so that prepared statements, advisory locks \
                                 and settings get lost; set `pool_mode = session` in PgBouncer, or connect without it";
pub(super) const REMEDY: &str = "set `ignore_startup_parameters = extra_float_digits, options` in PgBouncer, and for the role \
                                 default_transaction_isolation, idle_in_transaction_session_timeout and statement_timeout, \
                                 then restart PgBouncer (docs/operations.md 4)";

/// What a pooler breaks for two connections that were opened with these settings.
pub(super) async fn problem(
    one: &mut PgConnection,
    two: &mut PgConnection,
    wanted: &[(&'static str, String)],
) -> Result<Option<String>, Error> {
    if are_shared(one, two).await? {
        return Ok(Some(SHARED.to_owned()));
    }
    dropped_settings(one, wanted).await
}

/// Names the settings of the connection's start that its session lacks.
async fn dropped_settings(
    connection: &mut PgConnection,
    wanted: &[(&'static str, String)],
) -> Result<Option<String>, Error> {
    let all = "SELECT name, setting FROM pg_settings WHERE name IN ('default_transaction_isolation', \
               'idle_in_transaction_session_timeout', 'statement_timeout')";
    let mut has = Vec::new();
    for row in raw_sql(all).fetch_all(connection).await? {
        has.push((row.try_get::<String, _>("name")?, row.try_get::<String, _>("setting")?));
    }
    Ok(lacking(&has, wanted))
}

fn lacking(has: &[(String, String)], wanted: &[(&'static str, String)]) -> Option<String> {
    let is_set = |(name, value): &&(&'static str, String)| has.iter().any(|(n, v)| n == name && v == value);
    let lacking: Vec<_> = wanted.iter().filter(|one| !is_set(one)).collect();
    let named: Vec<_> = lacking.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    (!named.is_empty()).then(|| format!("its sessions lack {}; {REMEDY}", named.join(", ")))
}

/// Whether two open connections share a session, or one of them changes its session.
async fn are_shared(one: &mut PgConnection, two: &mut PgConnection) -> Result<bool, Error> {
    let mut sessions = Vec::new();
    for _ in 0..2 {
        sessions.push((session(one).await?, session(two).await?));
    }
    Ok(is_any_shared(&sessions))
}

fn is_any_shared(sessions: &[(String, String)]) -> bool {
    sessions.iter().any(|pair| pair.0 == pair.1) || sessions.windows(2).any(|pairs| pairs[0] != pairs[1])
}

async fn session(connection: &mut PgConnection) -> Result<String, Error> {
    raw_sql("SELECT pg_backend_pid()::text AS pid").fetch_one(connection).await?.try_get("pid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_change_hands_are_noticed() {
        let seen = |pids: [(u8, u8); 2]| pids.map(|(one, two)| (one.to_string(), two.to_string()));
        assert!(!is_any_shared(&seen([(1, 2), (1, 2)])));
        for shared in [[(1, 1), (1, 1)], [(1, 2), (2, 1)], [(1, 2), (3, 2)]] {
            assert!(is_any_shared(&seen(shared)), "{shared:?}");
        }
    }

    #[test]
    fn dropped_settings_are_named() {
        let has = [("statement_timeout", "0"), ("default_transaction_isolation", "read committed")];
        let has = has.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wanted = [
            ("statement_timeout", "30000".to_owned()),
            ("default_transaction_isolation", "read committed".to_owned()),
        ];
        let said = lacking(&has, &wanted).unwrap();
        assert!(said.starts_with("its sessions lack statement_timeout = 30000; "), "{said}");
        assert_eq!(lacking(&has, &wanted[1..]), None);
    }
}
