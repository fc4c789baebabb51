//! `guildhall restore` without processes: over other schemas, files that were kept, and files of other users.

use std::os::unix::fs::{MetadataExt, chown};

use runtime::{Database, DatabaseOptions};
use sea_orm::ConnectionTrait;
use serde_json::Value;
use testkit::{Finished, Servers, TestDatabase, run_command};

/// Commands without processes.
struct Alone {
    folder: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Alone {
    /// On a file, in the folder `guildhall-data`.
    fn embedded() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), env: Vec::new() }
    }

    fn on(database: &TestDatabase) -> Self {
        let env = vec![("GUILDHALL_DATABASE_URL".to_owned(), database.url().to_owned())];
        Self { folder: tempfile::tempdir().unwrap(), env }
    }

    async fn command(&self, args: &[&str]) -> Finished {
        run_command(args, &self.env, self.folder.path()).await
    }

    async fn add(&self, guild: &str) -> String {
        self.command(&["guilds", "add", guild, "--name", "g"]).await.succeeded()
    }

    async fn guilds(&self) -> Vec<String> {
        let listed = self.command(&["guilds", "list", "--json"]).await.succeeded();
        let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
        listed.iter().map(|guild| guild["guild_id"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn an_older_schema_replaces_a_newer_one_as_a_whole() {
    let database = TestDatabase::postgres().await;
    let here = Alone::on(&database);
    here.add("1").await;
    for sql in [
        "DROP TRIGGER sanction_numbered ON sanction",
        "DROP FUNCTION sanction_numbered()",
        "DELETE FROM seaql_migrations WHERE version LIKE 'm0030%'",
        "CREATE SCHEMA theirs",
        "CREATE TABLE theirs.things (n bigint)",
    ] {
        database.execute(sql).await;
    }
    here.command(&["backup", "old"]).await.succeeded();
    here.command(&["migrate"]).await.succeeded();
    here.add("2").await;
    for sql in [
        "CREATE TABLE later (guild_id bigint REFERENCES guild)",
        "CREATE FUNCTION latest() RETURNS bigint LANGUAGE sql AS 'SELECT max(guild_id) FROM later'",
        "INSERT INTO theirs.things VALUES (1)",
        "CREATE VIEW theirs.names AS SELECT name FROM guild",
    ] {
        database.execute(sql).await;
    }
    let refused = here.command(&["restore", "old", "--replace"]).await.refused();
    assert!(refused.contains("theirs.names"), "{refused}");
    assert_eq!(here.guilds().await, ["1", "2"]);

    database.execute("DROP VIEW theirs.names").await;
    let said = here.command(&["restore", "old", "--replace"]).await.succeeded();
    assert_eq!(said.trim(), "restored old: 1 guild; its schema is older: run `guildhall migrate`");
    here.command(&["migrate"]).await.succeeded();
    assert_eq!(here.guilds().await, ["1"]);
    let later = "(SELECT count(*) FROM pg_class WHERE relname = 'later')";
    let latest = "(SELECT count(*) FROM pg_proc WHERE proname = 'latest')";
    assert_eq!(database.count(&format!("SELECT {later} + {latest}")).await, 0);
    assert_eq!(database.count("SELECT count(*) FROM theirs.things").await, 1, "the schema of others stays");
}

#[tokio::test]
async fn a_schema_that_cannot_be_read_is_not_empty() {
    let database = TestDatabase::postgres().await;
    let here = Alone::on(&database);
    here.add("1").await;
    here.command(&["backup", "file"]).await.succeeded();
    let refused = async |more: &[&str], why: &str| {
        let refused = here.command(&[&["restore", "file"], more].concat()).await.refused();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(database.count("SELECT count(*) FROM guild").await, 1);
    };
    database.execute("ALTER TABLE guild DROP COLUMN accent").await;
    refused(&[], "1 guild: --replace").await;
    database.execute("ALTER TABLE worker RENAME COLUMN heartbeat_at TO heartbeat").await;
    refused(&["--replace"], "heartbeat_at").await;

    let empty = TestDatabase::empty_on_server(&Servers::from_env().database).await;
    let there = Alone::on(&empty);
    let file = here.folder.path().join("file").display().to_string();
    empty.execute("CREATE TABLE things (n bigint)").await;
    there.command(&["backup", "strange"]).await.succeeded();
    assert!(there.command(&["restore", &file]).await.refused().contains("1 object"));
    let strange = there.command(&["restore", "strange", "--replace"]).await.refused();
    assert!(strange.contains("no table `guild`"), "{strange}");
    empty.execute("DROP TABLE things").await;
    let said = there.command(&["restore", &file]).await.succeeded();
    assert_eq!(said.trim(), format!("restored {file}: 1 guild"));
}

#[tokio::test]
async fn each_replaced_file_is_kept_with_all_its_commits() {
    let here = Alone::embedded();
    let data = here.folder.path().join("guildhall-data");
    let said = here.add("1").await;
    assert!(said.contains("added guild 1 in a new database") && said.contains("guildhall.db"), "{said}");
    here.command(&["backup", "one"]).await.succeeded();
    assert_eq!(here.add("2").await.trim(), "added guild 2");
    for (guild, end) in [("3", ""), ("4", "-2")] {
        let said = here.command(&["restore", "one", "--replace"]).await.succeeded();
        let name = format!("guildhall.db.before-restore{end}");
        assert!(said.trim().ends_with(&name), "{said}");
        here.add(guild).await;
    }

    // Somebody has it open, so that the last commits stay in its log.
    let url = format!("sqlite://{}", data.join("guildhall.db").display());
    let open = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
    open.read().execute_unprepared("SELECT count(*) FROM guild").await.unwrap();
    here.add("5").await;
    let refused = here.command(&["restore", "one", "--replace"]).await.refused();
    assert!(refused.contains("another program has"), "{refused}");
    for end in ["", "-wal"] {
        let from = data.join(format!("guildhall.db{end}"));
        assert!(from.metadata().unwrap().len() > 0);
        std::fs::copy(from, here.folder.path().join(format!("killed{end}"))).unwrap();
    }
    open.close().await;

    for (file, guilds) in [
        ("killed", &["1", "4", "5"][..]),
        ("guildhall-data/guildhall.db.before-restore", &["1", "2"]),
        ("guildhall-data/guildhall.db.before-restore-2", &["1", "3"]),
    ] {
        here.command(&["restore", file, "--replace"]).await.succeeded();
        assert_eq!(here.guilds().await, guilds, "{file}");
    }
    std::fs::remove_file(data.join("guildhall.db")).unwrap();
    here.command(&["restore", "one"]).await.succeeded();
    assert_eq!(here.guilds().await, ["1"]);
    let kept = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name());
    let kept = kept.filter(|name| name.to_str().unwrap().contains("before-restore")).count();
    assert_eq!(kept, 5);
}

#[tokio::test]
async fn files_of_another_user_are_told_from_missing_ones() {
    let mut here = Alone::embedded();
    let data = here.folder.path().join("data");
    here.env = vec![("GUILDHALL_DATA_DIR".to_owned(), data.display().to_string())];
    // Nobody looks into a file, and root into every folder.
    std::fs::write(&data, "").unwrap();
    let refused = here.command(&["guilds", "list"]).await.refused();
    assert!(refused.contains("cannot look into"), "{refused}");
    std::fs::remove_file(&data).unwrap();
    let refused = here.command(&["guilds", "list"]).await.refused();
    assert!(refused.contains("there is no database"), "{refused}");

    std::fs::create_dir(&data).unwrap();
    if chown(&data, Some(65_534), Some(65_534)).is_err() {
        eprintln!("skipped: only root makes files for others");
        return;
    }
    here.add("1").await;
    here.command(&["backup", "file"]).await.succeeded();
    here.command(&["restore", "file", "--replace"]).await.succeeded();
    for end in ["", ".lock", ".before-restore"] {
        let file = data.join(format!("guildhall.db{end}"));
        assert_eq!(file.metadata().unwrap().uid(), 65_534, "{end}");
    }
}
