//! `/guilds/:guildId/staff/notes` (docs/rules.md 6).

use serde_json::{Value, json};

use super::{outsider, path, refuse_each, same_404, theirs};
use testkit::{Deployment, both_modes, in_turn};

both_modes!(a_note_is_written_edited_and_deleted, notes_of_another_guild_are_unknown,);

in_turn!(invalid_notes_are_refused,);

fn note(deployment: &Deployment, body: &str) -> Value {
    json!({ "staff_id": deployment.guild().members[1].chat, "body": body })
}

async fn a_note_is_written_edited_and_deleted(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let notes = path(deployment, "notes");
    assert_eq!(api.get(&notes).await.ok(), json!([]));
    let longest = "é".repeat(4000);
    let written = api.post(&notes, note(deployment, &longest)).await.ok();
    let (id, created_at) = (written["id"].clone(), written["created_at"].clone());
    assert!(id.is_i64() && created_at.is_string());
    // The author is the key's owner.
    let expected = json!({ "id": id, "staff_id": guild.members[1].chat, "body": longest,
        "author_id": guild.members[0].chat, "created_at": created_at, "updated_at": created_at });
    assert_eq!(written, expected);
    assert_eq!(api.get(&notes).await.ok(), json!([expected]));
    let second = api.post(&notes, note(deployment, "second")).await.ok();
    assert_eq!(api.get(&notes).await.ok()[0], second, "newest first");
    let about = &guild.members[2].chat;
    assert_eq!(api.get(&format!("{notes}?staff_id={about}")).await.ok(), json!([]));

    let one = path(deployment, &format!("notes/{id}"));
    let edited = api.patch(&one, json!({ "body": "shorter" })).await.ok();
    assert_eq!((&edited["id"], &edited["body"]), (&id, &json!("shorter")));
    assert_eq!(edited["author_id"], guild.members[0].chat.as_str());
    let same = api.patch(&one, json!({ "body": "shorter" })).await;
    assert!(same.message().starts_with("nothing to change"), "{same}");
    assert_eq!(same.ok(), edited);
    api.delete(&one).await.ok();
    assert_eq!(api.get(&notes).await.ok(), json!([second]));
    api.delete(&one).await.refused(404, &[]);
    api.patch(&one, json!({ "body": "x" })).await.refused(404, &[]);
    let updates = deployment.audit("notes.update").await;
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0]["metadata"]["after"], json!({ "body": "shorter" }));
    assert_eq!(deployment.audit("notes.delete").await[0]["metadata"]["before"]["body"], "shorter");
}

async fn invalid_notes_are_refused(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let notes = path(deployment, "notes");
    let bad = [
        ("staff_id", json!("absent")),
        ("staff_id", json!(17)),
        ("body", json!("absent")),
        ("body", json!("")),
        ("body", json!(" \n")),
        ("body", json!("x".repeat(4001))),
        ("body", json!({ "text": "x" })),
    ];
    refuse_each(&api, ("POST", &notes), &note(deployment, "x"), &bad).await;
    let stranger = json!({ "staff_id": outsider(guild).chat, "body": "x" });
    api.post(&notes, stranger).await.refused(404, &["staff"]);
    let id = api.post(&notes, note(deployment, "x")).await.ok()["id"].clone();
    let one = path(deployment, &format!("notes/{id}"));
    api.patch(&one, json!({})).await.refused(400, &["`body`"]);
    api.patch(&one, json!({ "body": null })).await.refused(400, &["`body`"]);
    api.patch(&path(deployment, "notes/0"), json!({ "body": "x" })).await.refused(400, &["noteId"]);
}

async fn notes_of_another_guild_are_unknown(deployment: &Deployment) {
    let api = deployment.api();
    let (their_api, their_notes) = theirs(deployment, "notes");
    let sent = json!({ "staff_id": deployment.other_guild().members[1].chat, "body": "theirs" });
    let written = their_api.post(&their_notes, sent).await.ok();
    let (foreign, unknown) =
        (path(deployment, &format!("notes/{}", written["id"])), path(deployment, "notes/999999"));
    let change = json!({ "body": "ours" });
    same_404(api.patch(&unknown, change.clone()).await, api.patch(&foreign, change).await);
    same_404(api.delete(&unknown).await, api.delete(&foreign).await);
    assert_eq!(api.get(&path(deployment, "notes")).await.ok(), json!([]));
    assert_eq!(their_api.get(&their_notes).await.ok(), json!([written]));
}
