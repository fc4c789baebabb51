//! `guildhall migrate --check`, on both databases.

use serde_json::{Value, json};
use testkit::{Finished, Servers, TestDatabase};

use crate::start_errors::{FORGET_LAST, run};

struct Checked {
    text: Finished,
    json: Value,
}

async fn check(database: &TestDatabase) -> Checked {
    let folder = tempfile::tempdir().unwrap();
    let env = [("GUILDHALL_DATABASE_URL", database.url())];
    let text = run(&["migrate", "--check"], &env, folder.path()).await;
    let json = run(&["migrate", "--check", "--json"], &env, folder.path()).await;
    assert_eq!(text.code, json.code);
    Checked { text, json: serde_json::from_str(&json.stdout).unwrap() }
}

#[tokio::test]
async fn a_check_says_what_is_pending_or_unknown_and_changes_nothing() {
    for database in [TestDatabase::sqlite().await, TestDatabase::postgres().await] {
        let rows = async || database.count("SELECT count(*) FROM seaql_migrations").await;
        let Checked { text, json } = check(&database).await;
        assert_eq!(text.succeeded().trim(), "the schema is up to date");
        assert_eq!(json, json!({ "pending": [], "unknown": [], "usable": true }));

        database.execute("INSERT INTO seaql_migrations VALUES ('m9998_later', 0)").await;
        let Checked { text, json } = check(&database).await;
        assert!(text.succeeded().contains("newer than this program, which works with it: m9998_later"));
        assert_eq!(json, json!({ "pending": [], "unknown": ["m9998_later"], "usable": true }));

        database.execute("INSERT INTO seaql_migrations VALUES ('m9999_drop_after_m9998', 0)").await;
        let Checked { text, json } = check(&database).await;
        assert_eq!((text.code, &json["usable"]), (Some(4), &json!(false)));
        assert!(text.stdout.is_empty() && text.refused().contains("m9999_drop_after_m9998"));

        database.execute("DELETE FROM seaql_migrations WHERE version LIKE 'm999%'").await;
        database.execute(FORGET_LAST).await;
        let before = rows().await;
        let Checked { text, json } = check(&database).await;
        assert_eq!((text.code, json["pending"].as_array().unwrap().len()), (Some(3), 1));
        assert!(text.stdout.contains(json["pending"][0].as_str().unwrap()), "{text:?}");
        assert!(text.refused().contains("guildhall migrate"));
        assert_eq!(rows().await, before);
    }
}

#[tokio::test]
async fn a_check_creates_no_database() {
    let empty = TestDatabase::empty_on_server(&Servers::from_env().database).await;
    let Checked { text, json } = check(&empty).await;
    assert!(text.code == Some(3) && json["pending"].as_array().unwrap().len() > 10, "{json}");
    assert_eq!(empty.count("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await, 0);
    let folder = tempfile::tempdir().unwrap();
    let missing = run(&["migrate", "--check"], &[], folder.path()).await;
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.refused().contains("there is no database"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
