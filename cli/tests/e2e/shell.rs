//! The command line itself: completions, manual pages, standard input, colors, JSON of every list.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use testkit::{
    Deployment, Fixture, Process, both_modes, eventually, free_address, http_client, in_turn, run_command,
    run_on_terminal,
};

/// The guild of the packaged community.
const PACKAGED: &str = "7000000000000000000";

both_modes!(every_list_is_printed_as_a_table_and_as_json, files_are_read_from_standard_input,);

in_turn!(
    wrong_ids_and_filters_say_what_is_expected,
    the_packaged_community_is_simulated_and_loaded(own),
    a_simulated_community_lives_if_it_is_told_to,
);

/// Arguments of every command that lists or shows, with fields of an object.
const LISTS: [(&[&str], &[&str]); 11] = [
    (&["guilds", "list"], &["guild_id", "name", "links", "shield_writer", "created_at"]),
    (
        &["keys", "list"],
        &["public_id", "state", "guild_id", "owner_id", "scopes", "created_at", "expires_at"],
    ),
    (&["links", "list"], &["chat_id", "play_id", "play_username", "verified_at"]),
    (&["staff", "roles", "list"], &["role_id", "role_name", "permissions", "play_permissions"]),
    (&["staff", "members", "list"], &["chat_id", "play_id", "role_id", "on_duty", "joined_at"]),
    (&["shield", "list"], &["play_id", "flagged_by", "flagged_at", "lifted_at", "reason"]),
    (&["panels", "list"], &["panel_id", "name", "category_id", "staff_role_ids", "created_at"]),
    (
        &["submissions", "list"],
        &["submission_id", "panel_id", "chat_id", "answers", "ticket_id", "created_at"],
    ),
    (&["jobs", "list"], &["id", "guild_id", "kind", "class", "state", "progress", "error", "created_at"]),
    (&["jobs", "workers"], &["worker", "host", "version", "slots", "running", "heartbeat_at"]),
    (&["schedules", "list"], &["schedule", "cron", "paused", "last_tick", "job_id"]),
];

/// Lists of one guild, which is named in every call.
const OF_A_GUILD: [&str; 4] = ["links", "staff", "panels", "submissions"];

/// One object for each list.
async fn fill(deployment: &Deployment) -> String {
    let guild = deployment.guild();
    let chat = guild.members[0].chat.as_str();
    for args in [
        &["shield", "flag", "98765", "--reason", "r", "--by", chat][..],
        &["panels", "add", "--id", "1", "--name", "Mod"],
        &["submissions", "add", "--panel", "1", "--applicant", chat],
    ] {
        deployment.command(&[args, &["--guild", &guild.id]].concat()).await.succeeded();
    }
    deployment.run_schedule("finished_jobs").await;
    let said = deployment.command(&["sync", "--dry-run", "--guild", &guild.id]).await.succeeded();
    said.split(' ').nth(1).unwrap().to_owned()
}

async fn every_list_is_printed_as_a_table_and_as_json(deployment: &Deployment) {
    let job = fill(deployment).await;
    let guild = ["--guild", deployment.guild().id.as_str()];
    for (args, fields) in LISTS {
        let args = if OF_A_GUILD.contains(&args[0]) { [args, &guild].concat() } else { args.to_vec() };
        let listed = deployment.command(&[&args[..], &["--json"]].concat()).await.succeeded();
        let rows: Vec<Value> = serde_json::from_str(&listed).unwrap();
        assert!(!rows.is_empty(), "{args:?}");
        for row in &rows {
            assert_conventions(row);
            assert!(fields.iter().all(|field| row.get(field).is_some()), "{args:?}: {row}");
        }
        let table = deployment.command(&args).await.succeeded();
        assert!(serde_json::from_str::<Value>(&table).is_err() && table.lines().count() > 1, "{table}");
    }
    deployment.job_ended(&job).await;
    let shown = deployment.command(&["jobs", "show", &job, "--json"]).await.succeeded();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_conventions(&shown);
    let public = deployment.api().get(&format!("/jobs/{job}")).await.ok();
    for field in ["id", "kind", "state", "result", "error", "errors", "created_at", "finished_at"] {
        assert_eq!(shown[field], public[field], "{field}");
    }
}

/// Names are `snake_case`, times end in `Z` after whole seconds, ids of guilds and chat users are strings.
fn assert_conventions(row: &Value) {
    for (name, value) in row.as_object().unwrap() {
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{row}");
        if name.ends_with("_at") || name == "last_tick" {
            let whole = value.as_str().is_none_or(|time| time.len() == 20 && time.ends_with('Z'));
            assert!(whole && (value.is_string() || value.is_null()), "{name}: {row}");
        }
        if ["guild_id", "chat_id", "role_id", "owner_id", "flagged_by"].contains(&name.as_str()) {
            assert!(value.is_string() || value.is_null(), "{name}: {row}");
        }
    }
}

async fn files_are_read_from_standard_input(deployment: &Deployment) {
    let guild = deployment.guild().id.as_str();
    let links = "chat_id,play_id,play_username\n1500000000000000009,50009,piped\n";
    let import = ["links", "import", "-", "--guild", guild];
    let said = deployment.command_with_input(&import, links).await.succeeded();
    assert!(said.contains("1 new"), "{said}");
    let bad = deployment.command_with_input(&import, "x\n").await.refused();
    assert!(bad.contains("standard input: line 1"), "{bad}");
    let fixture = deployment.fixture.json().to_string();
    let said = deployment.command_with_input(&["seed", "-"], &fixture).await.succeeded();
    assert!(said.starts_with("nothing new"), "{said}");
    let bad = deployment.command_with_input(&["seed", "-"], "[]").await.refused();
    assert!(bad.contains("standard input is not a fixture"), "{bad}");
    let simulate = ["simulate", "--state", "-", "--listen", "127.0.0.1:0"];
    let bad = deployment.command_with_input(&simulate, "{}").await.refused();
    assert!(bad.contains("standard input is not a fixture"), "{bad}");
}

async fn the_packaged_community_is_simulated_and_loaded(deployment: &Deployment) {
    let address = free_address();
    let _simulator =
        Process::spawn("simulate", &["simulate", "--listen", &address], &[], deployment.folder());
    let simulated = eventually("it is simulated", Duration::from_secs(10), async || {
        let url = format!("http://{address}/control/chat/guilds/{PACKAGED}/state");
        http_client().get(url).send().await.ok()?.json::<Value>().await.ok()
    })
    .await;
    assert_eq!(simulated["members"].as_array().map(Vec::len), Some(505), "some are not linked");
    let community = deployment.command(&["simulate", "--print-state"]).await.succeeded();
    let loaded = deployment.command_with_input(&["seed", "-"], &community).await.succeeded();
    assert!(loaded.starts_with("loaded 1 guild"), "{loaded}");
    assert!(deployment.command(&["guilds", "list"]).await.succeeded().contains(PACKAGED));
}

async fn wrong_ids_and_filters_say_what_is_expected(deployment: &Deployment) {
    let guild = deployment.guild().id.as_str();
    for (args, words) in [
        (&["jobs", "show", "01900000"][..], &["01900000", "JOB_ID", "UUID", "guildhall jobs list"][..]),
        (&["jobs", "list", "--guild", "70x"], &["70x", "--guild", "digits"]),
        (&["jobs", "list", "--guild", "70"], &["guild 70", "guildhall guilds list"]),
        (&["jobs", "list", "--state", "done"], &["done", "--state", "succeeded"]),
        (&["jobs", "list", "--kind", "sync"], &["sync", "--kind", "sync_member"]),
        (&["jobs", "pause", "fast"], &["fast", "CLASS", "interactive"]),
        (&["jobs", "list", "--limit", "0"], &["--limit", "10000"]),
        (&["schedules", "run", "x"], &["SCHEDULE", "finished_jobs"]),
        (&["submissions", "list", "--panel", "77", "--guild", guild], &["77", "guildhall panels list"]),
        (&["keys", "revoke", "zzzzzzzz"], &["zzzzzzzz", "guildhall keys list"]),
        (&["keys", "rotate", "zzz"], &["PUBLIC_ID", "\"zzz\"", "8 characters"]),
    ] {
        let message = deployment.command(args).await.refused();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in: {message}");
    }
}

#[tokio::test]
async fn completions_and_manual_pages_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = run_command(&["completions", shell], &[], folder.path()).await.succeeded();
        assert!(["rotate", "schedules", "json"].iter().all(|word| script.contains(word)), "{shell}");
    }
    let refused = run_command(&["completions", "cmd"], &[], folder.path()).await;
    assert!(refused.code == Some(2) && refused.stderr.contains("bash"), "{refused:?}");

    let page = run_command(&["man"], &[], folder.path()).await.succeeded();
    assert!(page.contains(".TH guildhall 1") && page.contains("guildhall\\-keys(1)"), "{page}");
    run_command(&["man", "--dir", "man/man1"], &[], folder.path()).await.succeeded();
    let read = |page: &str| fs::read_to_string(folder.path().join("man/man1").join(page)).unwrap();
    assert!(read("guildhall.1").contains(".TH guildhall 1"));
    assert!(read("guildhall-keys-rotate.1").contains("\\-\\-overlap"));
    assert!(read("guildhall-serve.1").contains("GUILDHALL_LISTEN"));
    assert!(!folder.path().join("man/man1/guildhall-keys-help.1").exists());
}

#[test]
fn nothing_is_colored_with_no_color() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.json"), Fixture::new(1, 1).json().to_string()).unwrap();
    let run = |args: &[&str], no_color: &str| {
        let env = [("RUST_LOG", "debug"), ("NO_COLOR", no_color)];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        run_on_terminal(args, &env, folder.path(), "").stdout
    };
    // A help text, an error, and a log.
    for args in [&["--help"][..], &["keys", "list", "--nonsense"], &["seed", "f.json"]] {
        let (colored, plain) = (run(args, ""), run(args, "1"));
        assert!(colored.contains("\u{1b}["), "{args:?}: {colored}");
        assert!(!plain.contains('\u{1b}') && plain.len() > 50, "{args:?}: {plain}");
    }
}

async fn a_simulated_community_lives_if_it_is_told_to(deployment: &Deployment) {
    let bad = deployment.command(&["simulate", "--life", "0"]).await.refused();
    assert!(bad.contains("--life"), "{bad}");
    for (args, rate) in [(&["--life"][..], 360), (&["--life", "7"], 7), (&[], 0)] {
        let address = free_address();
        let args = [&["simulate", "--listen", &address], args].concat();
        let _simulator = Process::spawn("lively", &args, &[], deployment.folder());
        let life = eventually("it is simulated", Duration::from_secs(10), async || {
            http_client().get(format!("http://{address}/control/life")).send().await.ok()
        })
        .await;
        let life: Value = life.json().await.unwrap();
        assert_eq!(life["changes_an_hour"], rate, "{life}");
    }
}
