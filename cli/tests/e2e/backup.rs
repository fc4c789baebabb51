//! `guildhall backup` and `restore`: everything comes back, and nothing is replaced by mistake.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, Finished, Mode, both_modes, in_turn};

use crate::moderation::Moderating;

both_modes!(everything_comes_back(own), nothing_is_replaced_by_mistake(own),);

in_turn!(a_dash_is_no_file);

const STOPS_WITHIN: Duration = Duration::from_secs(35);
const KNOWN: &str = "900000001";
const LATER: &str = "900000002";

async fn everything_comes_back(deployment: &Deployment) {
    deployment.ban(KNOWN, json!({ "reason": "it's known" })).await;
    let before = deployment.rows(None).await;
    let said = backup(deployment, "backup").await.succeeded();
    assert!(said.starts_with("backed up to backup: "), "{said}");
    deployment.ban(LATER, json!({})).await;
    deployment.command(&["guilds", "remove", &deployment.other_guild().id, "--yes"]).await;

    let refused = restore(deployment, "backup", &["--replace"]).await.refused();
    let running = if deployment.mode() == Mode::Embedded {
        "in use by another `guildhall serve`"
    } else {
        "1 api, 1 worker, 1 scheduler"
    };
    assert!(refused.contains(running), "{refused}");
    stop_all(deployment).await;
    let refused = restore(deployment, "backup", &[]).await.refused();
    assert!(refused.contains("--replace"), "{refused}");
    let said = restore(deployment, "backup", &["--replace"]).await.succeeded();
    let kept = data(deployment).join("guildhall.db.before-restore");
    let aside = match deployment.mode() {
        Mode::Embedded => format!("; what was there is {}", kept.display()),
        Mode::Distributed => String::new(),
    };
    assert_eq!(said.trim(), format!("restored backup: 2 guilds{aside}"));
    let after = deployment.rows(None).await;
    for (table, rows) in &before {
        assert_eq!(rows, &after[table], "{table}");
    }

    deployment.start_all().await;
    assert!(deployment.is_banned(KNOWN).await && !deployment.is_banned(LATER).await);
    deployment.ban(LATER, json!({})).await;
    assert_eq!(kept.exists(), deployment.mode() == Mode::Embedded, "what was replaced is kept");
}

async fn nothing_is_replaced_by_mistake(deployment: &Deployment) {
    let folder = deployment.folder();
    backup(deployment, "backup").await.succeeded();
    let refused = backup(deployment, "backup").await.refused();
    assert!(refused.contains("backup exists"), "{refused}");
    let refused = backup(deployment, "no/such/folder").await.refused();
    assert!(refused.contains("cannot write no/such/folder"), "{refused}");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&folder.join("backup").metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600, "others cannot read it");
    stop_all(deployment).await;
    let before = deployment.rows(None).await;

    std::fs::write(folder.join("text"), "not a backup").unwrap();
    let whole = std::fs::read(folder.join("backup")).unwrap();
    let mut damaged = whole.clone();
    let middle = whole.len() / 2;
    damaged[middle..middle + 4096].fill(0xa5);
    std::fs::write(folder.join("damaged"), damaged).unwrap();
    std::fs::write(folder.join("short"), &whole[..whole.len() / 3]).unwrap();
    let other: &[u8] =
        if deployment.mode() == Mode::Embedded { b"PGDMP and more of it" } else { b"SQLite format 3\0" };
    std::fs::write(folder.join("other"), other).unwrap();
    for (file, why) in [
        ("text", "no backup of Guildhall"),
        ("damaged", ""),
        ("short", ""),
        ("other", "is a backup of"),
        ("none", "cannot read none"),
    ] {
        let refused = restore(deployment, file, &["--replace"]).await.refused();
        assert!(refused.contains(why), "{file}: {refused}");
        assert_eq!(deployment.rows(None).await, before, "{file} changed something: {refused}");
    }
}

async fn backup(deployment: &Deployment, file: &str) -> Finished {
    deployment.command(&["backup", file]).await
}

async fn restore(deployment: &Deployment, file: &str, more: &[&str]) -> Finished {
    deployment.command(&[&["restore", file], more].concat()).await
}

async fn stop_all(deployment: &Deployment) {
    let mut old = std::mem::take(&mut *deployment.roles());
    for running in old.all() {
        running.process.terminate();
    }
    for running in old.all() {
        running.process.ended(STOPS_WITHIN).await;
    }
}

fn data(deployment: &Deployment) -> std::path::PathBuf {
    Path::new(deployment.folder()).join("data")
}

async fn a_dash_is_no_file(deployment: &Deployment) {
    for command in ["backup", "restore", "import"] {
        let refused = deployment.command(&[command, "-"]).await.refused();
        assert!(refused.contains("name a file instead of `-`"), "{command}: {refused}");
    }
    let exported = deployment.command(&["export", "--guild", &deployment.guild().id, "-"]).await;
    assert!(exported.stderr.contains("to standard output: "), "{}", exported.stderr);
    assert!(!deployment.folder().join("-").exists());
    std::fs::write(deployment.folder().join("file"), exported.succeeded()).unwrap();
    // It was read to its end before.
    let refused = deployment.command(&["import", "file"]).await.refused();
    assert!(refused.contains("already exists"), "{refused}");
}
