//! `guildhall erase`: what an account has left goes or gets a pseudonym, and nothing else changes.

use std::time::{Duration, SystemTime};

use platforms::WebhookSecret;
use serde_json::{Value, json};
use testkit::{Answer, Deployment, Rows, both_modes, run_on_terminal};

use crate::community;
use crate::moderation::Moderating;

both_modes!(
    nothing_but_what_is_in_force_names_an_erased_account(own),
    what_has_no_link_or_no_id_is_erased_too(own),
    an_erasure_is_confirmed,
    the_game_platform_can_ask_for_an_erasure(
        |setup| setup.env("GUILDHALL_PLAY_WEBHOOK_SECRET", crate::erasure::WEBHOOK_SECRET)
    ),
    without_a_secret_nothing_is_taken,
);

/// Tables whose rows are deleted by themselves within a day, or with the job's 30 days.
const PASSING: [&str; 5] = ["job", "idempotency", "change_log", "bulk_sync", "import"];

/// Tables and rows with this id, not counting longer numbers that have its digits.
fn naming(rows: &Rows, id: &str) -> Vec<String> {
    let names = |row: &&String| row.split(|c: char| !c.is_ascii_digit()).any(|number| number == id);
    let rows = rows.iter().filter(|(table, _)| !PASSING.contains(&table.as_str()));
    rows.flat_map(|(table, rows)| rows.iter().filter(names).map(move |row| format!("{table}: {row}")))
        .collect()
}

async fn nothing_but_what_is_in_force_names_an_erased_account(deployment: &Deployment) {
    community::live(deployment).await;
    let guild = deployment.guild();
    let (chat, play) = (guild.members[1].chat.clone(), guild.members[1].play.to_string());
    deployment.ban(&play, json!({ "reason": "again", "place_id": 9 })).await;
    let on_server = json!({ "server_id": "s1", "place_id": 9, "universe_id": 10, "sequence": 1,
        "players": [guild.members[1].play, guild.members[2].play] });
    deployment.api().post("/play/servers/tick", on_server).await.ok();
    let before = deployment.rows(None).await;
    let list = listed(deployment, &chat).await;
    let outcome = |table: &str, outcome: &str| {
        list.iter()
            .find(|row| row["table"] == table && row["outcome"] == outcome)
            .map(|row| row["rows"].as_i64().unwrap())
    };
    assert_eq!(outcome("staff_note", "deleted"), Some(1), "{list:?}");
    assert_eq!(outcome("link", "deleted"), Some(1));
    assert!(outcome("audit_entry", "pseudonymised") > Some(3));
    assert_eq!(deployment.rows(None).await, before, "a dry run changes nothing");

    deployment.command(&["erase", "--user", &chat, "--yes"]).await.succeeded();
    assert_eq!(naming(&deployment.rows(None).await, &chat), [""; 0]);
    deployment.api().get(&format!("/lookup/play/{play}")).await.refused(404, &[]);
    deployment.all_jobs_ended("unlink_member", Duration::from_secs(20)).await;

    deployment.command(&["erase", "--user", &play, "--yes"]).await.succeeded();
    let left = naming(&deployment.rows(None).await, &play);
    assert!(left.iter().all(|row| row.starts_with("sanction: ")) && left.len() == 1, "{left:?}");
    assert!(deployment.is_banned_in(&play, 9).await, "a ban in force stays");
    deployment.command(&["audit", "verify"]).await.succeeded();
    let verified = deployment.command(&["audit", "verify", "--json"]).await.succeeded();
    let verified: Vec<Value> = serde_json::from_str(&verified).unwrap();
    let erased: i64 = verified.iter().filter_map(|row| row["erased"].as_i64()).sum();
    assert!(erased > 3, "{verified:?}");
    assert_eq!(deployment.audit("accounts.erase").await.len(), 2);
    // Again: there is nothing.
    let again = deployment.command(&["erase", "--user", &chat, "--yes", "--json"]).await.succeeded();
    assert_eq!(again.trim(), "[]");
    let on_server = deployment.api().get(&format!("/guilds/{}/servers/s1/players", guild.id)).await.ok();
    assert_eq!(on_server["players"], json!([guild.members[2].play]), "others are on it as before");
    // Others are as they were.
    let other = guild.members[2].chat.as_str();
    let count = |rows: &Rows| {
        ["link", "staff_member", "sanction"]
            .map(|table| rows[table].iter().filter(|row| row.contains(other)).count())
    };
    assert_eq!(count(&deployment.rows(None).await), count(&before));
}

/// What `erase` lists without doing it.
async fn listed(deployment: &Deployment, id: &str) -> Vec<Value> {
    let list = deployment.command(&["erase", "--user", id, "--dry-run", "--json"]).await.succeeded();
    serde_json::from_str(&list).unwrap()
}

async fn what_has_no_link_or_no_id_is_erased_too(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (named, staff, moderator) = (guild.misnamed(), &guild.members[1], "734512");
    let play = named.play.to_string();
    // A moderator without a link is noted by the game id.
    deployment.ban("555002", json!({ "moderator_id": moderator })).await;
    // The log has nicknames of a member, not the game account that they come from.
    api.post("/interactions/sync", json!({ "user_id": named.chat })).await.ok();
    // The new text of a note stands in the log too.
    let notes = format!("/guilds/{}/staff/notes", guild.id);
    let note = api.post(&notes, json!({ "staff_id": staff.chat, "body": "first words" })).await.ok();
    let note = format!("{notes}/{}", note["id"]);
    api.patch(&note, json!({ "body": "second words" })).await.ok();
    let left = async |text: &str| {
        let rows = deployment.rows(None).await;
        let kept = rows.into_iter().filter(|(table, _)| !PASSING.contains(&table.as_str()));
        kept.flat_map(|(_, rows)| rows).filter(|row| row.contains(text)).collect::<Vec<_>>()
    };
    let name = format!("\"{}\"", named.name);
    assert!(!left(&name).await.is_empty() && !left("second words").await.is_empty());

    let list = listed(deployment, moderator).await;
    let tables: Vec<_> = list.iter().map(|row| row["table"].as_str().unwrap()).collect();
    assert_eq!(tables, ["sanction", "staff_action", "audit_entry"], "{list:?}");
    let ids = [moderator, play.as_str(), staff.chat.as_str()];
    for id in ids {
        deployment.command(&["erase", "--user", id, "--yes"]).await.succeeded();
    }
    deployment.all_jobs_ended("unlink_member", Duration::from_secs(20)).await;
    assert_eq!(naming(&deployment.rows(None).await, moderator), [""; 0]);
    for text in [name.as_str(), "first words", "second words"] {
        assert_eq!(left(text).await, [""; 0]);
    }
    let sync = deployment.audit("sync.member").await;
    assert!(sync.iter().any(|entry| entry["metadata"]["before"]["roles"].is_array()), "{sync:?}");
    for id in ids {
        assert!(listed(deployment, id).await.is_empty(), "{id}");
    }
    deployment.command(&["audit", "verify"]).await.succeeded();
}

async fn an_erasure_is_confirmed(deployment: &Deployment) {
    let chat = deployment.guild().members[4].chat.clone();
    let refused = deployment.command(&["erase", "--user", &chat]).await.refused();
    assert!(refused.contains("nothing was erased") && refused.contains("--yes"), "{refused}");
    let refused = deployment.command(&["erase", "--user", "abc"]).await.refused();
    assert!(refused.contains("--user"), "{refused}");
    let args = ["erase", "--user", &chat];
    let typed = run_on_terminal(&args, &deployment.env, deployment.folder(), "1\n");
    assert!(typed.stdout.contains("this is not its id; nothing was erased"), "{typed:?}");
    deployment.api().get(&format!("/lookup/chat/{chat}")).await.ok();
}

pub(crate) const WEBHOOK_SECRET: &str = "a secret that both sides know";

/// As the game platform sends it.
async fn announced(deployment: &Deployment, signature: &str, body: &Value) -> Answer {
    let api = deployment.api().key("").header("roblox-signature", signature);
    api.post("/play/webhooks", body.clone()).await
}

fn erasure_of(play: &str) -> Value {
    let play: i64 = play.parse().unwrap();
    json!({
        "NotificationId": "a1", "EventType": "RightToErasureRequest", "EventTime": "2026-01-01T00:00:00Z",
        "EventPayload": { "UserId": play, "GameIds": [1, 2] }
    })
}

async fn the_game_platform_can_ask_for_an_erasure(deployment: &Deployment) {
    let play = deployment.guild().members[4].play.to_string();
    let secret = WebhookSecret::new(WEBHOOK_SECRET);
    let body = erasure_of(&play);
    let signed = |body: &Value| secret.sign(body.to_string().as_bytes(), SystemTime::now().into());
    announced(deployment, "t=1,v1=AA==", &body).await.refused(401, &["signature"]);
    announced(deployment, &signed(&json!({})), &body).await.refused(401, &["signature"]);
    let nobody = json!({ "EventType": "RightToErasureRequest", "EventPayload": {} });
    announced(deployment, &signed(&nobody), &nobody).await.refused(400, &["EventPayload.UserId"]);
    let other = json!({ "EventType": "SampleNotification", "EventPayload": { "UserId": 1 } });
    assert_eq!(announced(deployment, &signed(&other), &other).await.status, 200);
    deployment.api().get(&format!("/lookup/play/{play}")).await.ok();
    for _ in 0..2 {
        assert_eq!(announced(deployment, &signed(&body), &body).await.status, 200);
    }
    deployment.all_jobs_ended("erase_account", Duration::from_secs(20)).await;
    deployment.api().get(&format!("/lookup/play/{play}")).await.refused(404, &[]);
    deployment.all_jobs_ended("unlink_member", Duration::from_secs(20)).await;
    assert_eq!(naming(&deployment.rows(None).await, &play), [""; 0]);
}

async fn without_a_secret_nothing_is_taken(deployment: &Deployment) {
    announced(deployment, "t=1,v1=AA==", &erasure_of("1"))
        .await
        .refused(503, &["GUILDHALL_PLAY_WEBHOOK_SECRET"]);
}
