//! Imports that were stopped and go on while the processes work.

use serde_json::{Value, json};
use testkit::{Deployment, both_modes, run_command};

use super::{export, text};

both_modes!(
    what_changes_beside_a_stopped_import_repeats_and_loses_nothing(own),
    rows_that_others_write_beside_an_import_take_none_of_its_ids(own),
);

/// The id that the deployment's guild gets in the file `twin`.
const TWIN: &str = "7999999999999999999";
const NOTES: i64 = 1_500;

async fn export_twin(deployment: &Deployment) -> String {
    let whole = export(deployment, "file").await.replace(&deployment.guild().id, TWIN);
    std::fs::write(deployment.folder().join("twin"), &whole).unwrap();
    whole
}

/// Is killed after the first batch of the table.
async fn import_until(deployment: &Deployment, table: &str) {
    let mut env = deployment.env.clone();
    env.push(("GUILDHALL_FAIL_POINTS".to_owned(), format!("after_import:{table}=abort@1")));
    let killed = run_command(&["import", "twin"], &env, deployment.folder()).await;
    assert_ne!(killed.code, Some(0), "{}", killed.stderr);
}

fn rows<'f>(file: &'f str, table: &str) -> Vec<&'f str> {
    let begin = format!("{{\"{table}\":");
    file.lines().filter(|line| line.starts_with(&begin)).collect()
}

async fn what_changes_beside_a_stopped_import_repeats_and_loses_nothing(deployment: &Deployment) {
    let whole = export_twin(deployment).await;
    import_until(deployment, "audit_chain").await;
    // Its chain is there, and no entry of it.
    let verified = deployment.command(&["audit", "verify"]).await;
    assert!(verified.stderr.contains(&format!("guild {TWIN} is left out")), "{}", verified.stderr);
    verified.succeeded();
    let first = format!(
        "DELETE FROM link WHERE guild_id = {TWIN} AND chat_id = (SELECT min(chat_id) FROM link WHERE guild_id = {TWIN})"
    );
    deployment.execute(&first).await;
    deployment.command(&["import", "twin"]).await.succeeded();
    deployment.command(&["export", "--guild", TWIN, "again"]).await.succeeded();
    let again = text(deployment, "again");
    assert_eq!(rows(&again, "link"), rows(&whole, "link")[1..]);
    for table in ["binding", "audit_chain", "audit_entry"] {
        assert_eq!(rows(&again, table).len(), rows(&whole, table).len(), "{table}");
    }
}

async fn rows_that_others_write_beside_an_import_take_none_of_its_ids(deployment: &Deployment) {
    let whole = export_twin(deployment).await;
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    let later = ["staff_session", "quota", "registered_game", "audit_chain", "audit_entry", "end"];
    let is_later = |line: &String| later.iter().any(|table| line.starts_with(&format!("{{\"{table}\"")));
    let at = lines.iter().position(is_later).unwrap();
    let time = "2026-04-12T18:33:21.000000Z";
    let note = |id: i64| {
        json!({ "staff_note": {
            "note_id": id, "guild_id": TWIN, "staff_id": "1", "author_id": "1", "body": "b", "created_at": time,
            "updated_at": time,
        } })
        .to_string()
    };
    drop(lines.splice(at..at, (1..=NOTES).map(note)));
    let mut end: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    end["end"]["rows"] = json!(end["end"]["rows"].as_i64().unwrap() + NOTES);
    *lines.last_mut().unwrap() = end.to_string();
    std::fs::write(deployment.folder().join("twin"), lines.join("\n")).unwrap();
    import_until(deployment, "staff_note").await;
    let other = deployment.other_guild();
    let path = format!("/guilds/{}/staff/notes", other.id);
    let body = json!({ "staff_id": other.members[1].chat, "body": "meanwhile" });
    deployment.api().key(&other.admin_key).post(&path, body).await.ok();
    deployment.command(&["import", "twin"]).await.succeeded();
    deployment.command(&["export", "--guild", TWIN, "again"]).await.succeeded();
    let again = text(deployment, "again");
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["staff_note"]["note_id"].as_i64();
    let ids: Vec<_> = rows(&again, "staff_note").into_iter().filter_map(id).collect();
    assert_eq!(ids, (ids[0]..ids[0] + NOTES).collect::<Vec<_>>());
}
