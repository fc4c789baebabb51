//! `guildhall export` and `import`: a guild moves between instances and databases, whole or not at all.

mod stopped;

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Deployment, Finished, TestDatabase, both_modes, run_command};

use crate::community;
use crate::moderation::Moderating;

both_modes!(
    a_guild_is_equal_wherever_it_goes(own),
    a_guild_comes_back_as_it_was(own),
    an_import_that_was_killed_goes_on(|setup| setup.sizes(&[1_500, 5])),
    ids_that_are_taken_move_together(own),
    a_file_that_is_not_whole_changes_nothing(own),
);

async fn export(deployment: &Deployment, file: &str) -> String {
    let guild = deployment.guild().id.clone();
    let said = deployment.command(&["export", "--guild", &guild, file]).await.succeeded();
    assert!(said.starts_with(&format!("exported guild {guild} to {file}: ")), "{said}");
    text(deployment, file)
}

fn text(deployment: &Deployment, file: &str) -> String {
    std::fs::read_to_string(deployment.folder().join(file)).unwrap()
}

/// An instance without processes.
struct Instance<'a> {
    env: Vec<(String, String)>,
    folder: &'a Path,
    _database: Option<TestDatabase>,
}

impl<'a> Instance<'a> {
    /// On a file.
    fn embedded(deployment: &'a Deployment, name: &str) -> Self {
        let folder = deployment.folder();
        let data = folder.join(name).display().to_string();
        Self { env: vec![("GUILDHALL_DATA_DIR".to_owned(), data)], folder, _database: None }
    }

    async fn on_postgres(deployment: &'a Deployment) -> Self {
        let database = TestDatabase::postgres().await;
        let env = vec![("GUILDHALL_DATABASE_URL".to_owned(), database.url().to_owned())];
        Self { env, folder: deployment.folder(), _database: Some(database) }
    }

    async fn command(&self, args: &[&str]) -> Finished {
        run_command(args, &self.env, self.folder).await
    }
}

async fn a_guild_is_equal_wherever_it_goes(deployment: &Deployment) {
    community::live(deployment).await;
    let log = format!("/guilds/{0}/log-channels/{0}", deployment.guild().id);
    deployment.api().send(Method::PUT, &log, Some(json!({ "news": ["tickets"] }))).await.ok();
    let follow = format!("/guilds/{}/follow", deployment.guild().id);
    let never = json!({ "every_minutes": 0, "brake_percent": 20 });
    deployment.api().key(&deployment.guild().admin_key).patch(&follow, never).await.ok();
    let (guild, here) = (deployment.guild().id.clone(), export(deployment, "here").await);
    for table in [
        "guild",
        "follow",
        "staff_role",
        "staff_member",
        "binding",
        "link",
        "moderation_revision",
        "sanction",
        "strike",
        "loa",
        "staff_note",
        "staff_session",
        "staff_action",
        "pending_action",
        "quota",
        "registered_game",
        "application_panel",
        "application_submission",
        "application_comment",
        "ticket",
        "log_channel",
        "audit_chain",
        "audit_entry",
    ] {
        assert!(here.contains(&format!("\n{{\"{table}\":")), "no {table}");
    }
    let log = here.lines().find(|line| line.starts_with("{\"log_channel\"")).unwrap();
    assert!(log.contains("\"state\":\"off\""), "another bot posts there: {log}");
    let instances = [
        Instance::embedded(deployment, "one"),
        Instance::on_postgres(deployment).await,
        Instance::embedded(deployment, "two"),
    ];
    let mut file = "here".to_owned();
    for (number, instance) in instances.iter().enumerate() {
        let said = instance.command(&["import", &file]).await.succeeded();
        assert!(said.starts_with(&format!("imported guild {guild}: ")), "{said}");
        let state = instance.command(&["audit", "verify", "--json"]).await.succeeded();
        assert!(!state.contains("unchained\": 1") && state.contains("intact"), "{state}");
        file = format!("there-{number}");
        instance.command(&["export", "--guild", &guild, &file]).await.succeeded();
        assert_eq!(text(deployment, &file), here, "{number}");
        let refused = instance.command(&["import", &file]).await.refused();
        assert!(refused.contains("already exists"), "{refused}");
    }
}

/// One entry has numbers in a form that no file keeps, and the instance says who may write to Shield.
fn kept(rows: &[String]) -> Vec<String> {
    let rows = rows.iter().filter(|row| !row.contains("shop.buy"));
    rows.map(|row| {
        row.replace("shield_writer 1", "shield_writer 0").replace("shield_writer true", "shield_writer false")
    })
    .collect()
}

async fn a_guild_comes_back_as_it_was(deployment: &Deployment) {
    community::live(deployment).await;
    let guild = deployment.guild().id.clone();
    export(deployment, "file").await;
    let before = deployment.rows(None).await;
    deployment.command(&["guilds", "remove", &guild, "--yes"]).await.succeeded();
    let said = deployment.command(&["import", "file"]).await.succeeded();
    assert!(said.contains("guildhall keys create"), "{said}");
    let after = deployment.rows(None).await;
    // Of the keys and jobs nothing came back, and no ban names its key. In which state syncs left members is for events.
    for (table, rows) in &before {
        let others = ["api_key", "job", "sanction", "idempotency", "change_log", "game_server", "schedule"];
        if !others.contains(&table.as_str()) && table != "synced_member" {
            assert_eq!(kept(rows), kept(&after[table]), "{table}");
        }
    }
    assert_eq!(before["sanction"].len(), after["sanction"].len());
    let owner = deployment.guild().members[0].chat.clone();
    let key = ["keys", "create", "--guild", &guild, "--name", "new", "--owner", &owner];
    let key = deployment.command(&key).await.succeeded();
    let api = deployment.api().key(key.trim());
    let banned =
        api.get(&format!("/moderation/{guild}/ban-status/{}", deployment.guild().members[7].chat)).await.ok();
    assert_eq!(banned["banned"], true, "{banned}");
}

async fn an_import_that_was_killed_goes_on(deployment: &Deployment) {
    let guild = deployment.guild().id.clone();
    let whole = export(deployment, "file").await;
    let mut instance = Instance::embedded(deployment, "other");
    instance.env.push(("GUILDHALL_FAIL_POINTS".to_owned(), "after_import:link=abort@1".to_owned()));
    let killed = instance.command(&["import", "file"]).await;
    assert_ne!(killed.code, Some(0), "{}", killed.stderr);
    instance.env.pop();
    for (args, said) in [
        (&["export", "--guild", &guild, "half"][..], "is not known"),
        (&["guilds", "add", &guild, "--name", "x"], "is being imported"),
    ] {
        let refused = instance.command(args).await.refused();
        assert!(refused.contains(said), "{refused}");
    }
    std::fs::write(deployment.folder().join("changed"), whole.replacen("player_", "Player_", 1)).unwrap();
    if text(deployment, "changed") != whole {
        let refused = instance.command(&["import", "changed"]).await.refused();
        assert!(refused.contains("from another file"), "{refused}");
    }
    instance.command(&["import", "file"]).await.succeeded();
    instance.command(&["export", "--guild", &guild, "again"]).await.succeeded();
    assert_eq!(text(deployment, "again"), whole);
}

async fn ids_that_are_taken_move_together(deployment: &Deployment) {
    let guild = deployment.guild().id.clone();
    deployment.ban("555", json!({})).await;
    deployment.ban("556", json!({})).await;
    let whole = export(deployment, "file").await;
    // The same guild under another id.
    let twin = "7999999999999999999";
    std::fs::write(deployment.folder().join("twin"), whole.replace(&guild, twin)).unwrap();
    let instance = Instance::on_postgres(deployment).await;
    instance.command(&["import", "file"]).await.succeeded();
    let said = instance.command(&["import", "twin"]).await;
    assert!(said.stderr.contains("the audit log of the file is not as it was written"), "{}", said.stderr);
    said.succeeded();
    let ids = async |guild: &str, file: &str| {
        instance.command(&["export", "--guild", guild, file]).await.succeeded();
        let text = text(deployment, file);
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.filter_map(|row| row["sanction"]["sanction_id"].as_i64()).collect::<Vec<_>>()
    };
    let (first, second) = (ids(&guild, "a").await, ids(twin, "b").await);
    assert_eq!(first.len(), 2);
    let shift = second[0] - first[0];
    assert!(shift > first[1] - first[0], "{first:?} {second:?}");
    assert_eq!(second, first.iter().map(|id| id + shift).collect::<Vec<_>>());
    // The next one is later than all of them.
    let flagged = instance.command(&["guilds", "add", "7000000000000000055", "--name", "x"]).await;
    flagged.succeeded();
}

async fn a_file_that_is_not_whole_changes_nothing(deployment: &Deployment) {
    deployment.ban("555", json!({})).await;
    let whole = export(deployment, "whole").await;
    let lines: Vec<&str> = whole.lines().collect();
    let without_last = lines[..lines.len() - 1].join("\n");
    let ban = lines.iter().position(|line| line.starts_with("{\"sanction\"")).unwrap();
    let with = |line: &str| [&lines[..ban], &[line][..], &lines[ban + 1..]].concat().join("\n");
    let at = format!("line {}: ", ban + 1);
    let with_field = |field: &str, value: Value| {
        let mut row: Value = serde_json::from_str(lines[ban]).unwrap();
        row["sanction"][field] = value;
        with(&row.to_string())
    };
    let files = [
        ("text", "nothing".to_owned(), "is no file of `guildhall export`".to_owned()),
        (
            "newer",
            whole.replacen("\"guildhall_export\":1", "\"guildhall_export\":2", 1),
            "has the format 2".to_owned(),
        ),
        ("cut", without_last, "the file is not complete".to_owned()),
        ("short", with("{\"binding\":{}}"), format!("{at}a row of `binding` comes too late")),
        ("broken", with("{\"sanction\":"), at.clone()),
        ("two", with("{\"sanction\":{},\"link\":{}}"), format!("{at}a line is an object with one table")),
        ("strange", with("{\"api_key\":{}}"), format!("{at}`api_key` is no table of an export")),
        ("field", with(&lines[ban].replace("\"reason\"", "\"why\"")), format!("{at}field `why` is unknown")),
        (
            "kind",
            with(&lines[ban].replace("\"play_id\":555", "\"play_id\":\"x\"")),
            format!("{at}field `play_id` must be an integer"),
        ),
        (
            "guild",
            with(&lines[ban].replace(&deployment.guild().id, "7999999999999999999")),
            format!("{at}field `guild_id`"),
        ),
        ("null", with_field("reason", Value::Null), format!("{at}field `reason` must not be null")),
        ("word", with_field("kind", json!("curse")), format!("{at}field `kind` has an unknown value")),
        (
            "ways",
            whole.replacen("\"link_ways\":[", "\"link_ways\":[\"passport\",", 1),
            "line 2: field `link_ways` has an unknown value".to_owned(),
        ),
        // A rule between two columns.
        ("rule", with_field("lifted_how", json!("lifted")), at.clone()),
    ];
    let instance = Instance::embedded(deployment, "other");
    instance.command(&["migrate"]).await.succeeded();
    for (name, content, said) in files {
        assert_ne!(content, whole, "{name}");
        std::fs::write(deployment.folder().join(name), content).unwrap();
        let refused = instance.command(&["import", name]).await.refused();
        assert!(refused.contains(&said), "{name}: {refused}");
    }
    let refused = instance.command(&["import", "none"]).await.refused();
    assert!(refused.contains("cannot read none"), "{refused}");
    let guilds = instance.command(&["guilds", "list", "--json"]).await.succeeded();
    assert_eq!(guilds.trim(), "[]");
    let refused = deployment.command(&["export", "--guild", &deployment.guild().id, "whole"]).await.refused();
    assert!(refused.contains("whole exists"), "{refused}");
}
