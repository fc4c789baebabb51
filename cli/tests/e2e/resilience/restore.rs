//! A database that is set back to an earlier state: what clients keep of the lost time is not taken for a part of the new one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Deployment, Mode, Setup, eventually, http_client, postgres_program, run};
use tokio::process::Command;

use crate::moderation::Moderating;

const KNOWN: &str = "800000001";
const LIFTED_LATER: &str = "800000002";
const BANNED_LATER: [&str; 3] = ["800000003", "800000004", "800000005"];
const BANNED_AFTERWARDS: [&str; 5] = ["800000006", "800000007", "800000008", "800000009", "800000010"];
const STOPS_WITHIN: Duration = Duration::from_secs(30);
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// Postgres is restored below the processes, which go on.
#[test]
fn of_postgres_hides_no_ban() {
    run(Setup::new(Mode::Distributed), async |deployment| {
        let dump = deployment.folder().join("dump");
        let url = deployment.database.as_ref().unwrap().url().to_owned();
        let backup = async || {
            tool("pg_dump", &["--format=custom", "--file", path(&dump), &url]).await;
        };
        let restore = async || {
            let how = ["--clean", "--if-exists", "--single-transaction", "--dbname", &url, path(&dump)];
            tool("pg_restore", &how).await;
        };
        hides_no_ban(deployment, backup, restore).await;
    });
}

#[test]
fn of_sqlite_hides_no_ban() {
    run(Setup::new(Mode::Embedded), async |deployment| {
        let (file, copy) =
            (deployment.folder().join("data/guildhall.db"), deployment.folder().join("copy.db"));
        let backup = async || deployment.execute(&format!("VACUUM INTO '{}'", copy.display())).await;
        let restore = async || {
            let replaced = async |serve: &mut testkit::Process| {
                serve.terminate();
                serve.ended(STOPS_WITHIN).await;
                std::fs::copy(&copy, &file).unwrap();
            };
            deployment.restart_serve(replaced).await;
        };
        hides_no_ban(deployment, backup, restore).await;
    });
}

async fn hides_no_ban(deployment: &Deployment, backup: impl AsyncFnOnce(), restore: impl AsyncFnOnce()) {
    let list = deployment.moderation("play/bans/active");
    for player in [KNOWN, LIFTED_LATER] {
        deployment.ban(player, json!({})).await;
    }
    backup().await;
    for player in BANNED_LATER {
        deployment.ban(player, json!({})).await;
    }
    deployment.unban(LIFTED_LATER, json!({})).await.ok();
    let before = deployment.api().get(&list).await;
    let tag = before.header("etag").unwrap().to_owned();
    let revision = before.ok()["revision"].as_i64().unwrap();
    restore().await;

    // As many changes as were lost, and more: the numbers of the changes meet those that the client knows.
    for player in BANNED_AFTERWARDS {
        eventually("a ban after the restore", ANSWERS_WITHIN, async || {
            let banned = deployment.sanction("ban", player, json!({})).await;
            (banned.status == 200).then_some(())
        })
        .await;
        let changes = deployment.api().get(&format!("{list}?since={revision}")).await.ok();
        assert_eq!(changes["complete"], true, "after the ban of {player}: {changes}");
        let unchanged = http_client()
            .get(format!("{}{list}", deployment.api_base(0)))
            .header("x-api-key", &deployment.guild().admin_key)
            .header("if-none-match", &tag);
        assert_eq!(unchanged.send().await.unwrap().status(), 200, "after the ban of {player}");
    }
    let whole = deployment.api().get(&format!("{list}?since={revision}")).await.ok();
    let mut banned = players(&whole);
    banned.sort_unstable();
    let mut expected = [&[KNOWN, LIFTED_LATER], &BANNED_AFTERWARDS[..]].concat();
    expected.sort_unstable();
    assert_eq!(banned, expected);

    // The client goes on from there.
    let revision = whole["revision"].as_i64().unwrap();
    deployment.ban(BANNED_LATER[0], json!({})).await;
    let changes = deployment.api().get(&format!("{list}?since={revision}")).await.ok();
    assert_eq!((players(&changes), &changes["complete"]), (vec![BANNED_LATER[0]], &json!(false)));
    assert!(deployment.is_banned(LIFTED_LATER).await && deployment.is_banned(BANNED_LATER[0]).await);
    assert!(!deployment.is_banned(BANNED_LATER[1]).await);
}

fn players(list: &Value) -> Vec<&str> {
    list["bans"].as_array().unwrap().iter().map(|ban| ban["identifier"].as_str().unwrap()).collect()
}

fn path(file: &Path) -> &str {
    file.to_str().unwrap()
}

async fn tool(name: &str, args: &[&str]) {
    let ended = Command::new(postgres_program(name)).args(args).stdin(Stdio::null()).output().await.unwrap();
    assert!(ended.status.success(), "{name}: {}", String::from_utf8_lossy(&ended.stderr));
}
