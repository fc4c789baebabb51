//! `guildhall audit verify` and the hashes that the API answers (docs/rules.md 8).

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use testkit::{Deployment, both_modes};

use crate::moderation::Moderating;

both_modes!(
    what_was_done_to_the_log_is_found(own),
    every_entry_has_its_place_and_hash,
    a_hash_that_a_guild_has_kept_is_looked_for
);

async fn log(deployment: &Deployment) -> Value {
    deployment.api().get(&format!("/guilds/{}/audit-logs", deployment.guild().id)).await.ok()
}

async fn note(deployment: &Deployment, n: usize) -> i64 {
    let path = format!("/guilds/{}/audit-logs", deployment.guild().id);
    let entry = json!({ "action": "shop.buy", "target_id": n.to_string(), "metadata": { "price": n } });
    deployment.api().post(&path, entry).await.ok()["id"].as_i64().unwrap()
}

/// Each of these is done to a log of its own.
async fn what_was_done_to_the_log_is_found(deployment: &Deployment) {
    let guild = deployment.guild().id.clone();
    deployment.ban("555", json!({})).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(note(deployment, n).await);
    }
    deployment.command(&["audit", "verify"]).await.succeeded();
    let connection = deployment.connect().await;
    let postgres = connection.get_database_backend() == sea_orm::DatabaseBackend::Postgres;
    let disarm: &[&str] = if postgres {
        &["ALTER TABLE audit_entry DISABLE TRIGGER USER"]
    } else {
        &["DROP TRIGGER audit_entry_erased", "DROP TRIGGER audit_entry_deleted"]
    };
    for sql in disarm {
        connection.execute_unprepared(sql).await.unwrap();
    }
    let written = log(deployment).await["entries"].clone();
    let position = |id: i64| {
        let entry = written.as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap();
        entry["position"].as_i64().unwrap()
    };
    let moved = |a: i64, b: i64| {
        let places =
            [(a, position(b)), (b, position(a))].map(|(id, place)| format!("WHEN {id} THEN {place}"));
        format!(
            "UPDATE audit_entry SET position = CASE audit_id {} END WHERE audit_id IN ({a}, {b})",
            places.join(" ")
        )
    };
    let swap = moved(ids[1], ids[2]);
    let undo = format!(
        "UPDATE audit_entry SET position = CASE audit_id WHEN {} THEN {} ELSE {} END WHERE audit_id IN ({}, {})",
        ids[1],
        position(ids[1]),
        position(ids[2]),
        ids[1],
        ids[2]
    );
    let tamperings = [
        (swap, format!("entry {} is not the one that was written there", ids[2])),
        (undo, String::new()),
        (
            format!("UPDATE audit_entry SET target_id = '9' WHERE audit_id = {}", ids[3]),
            format!("entry {} says something else", ids[3]),
        ),
        (format!("DELETE FROM audit_entry WHERE audit_id = {}", ids[1]), "is missing".to_owned()),
    ];
    for (sql, said) in tamperings {
        connection.execute_unprepared(&sql).await.unwrap();
        let outcome = deployment.command(&["audit", "verify", "--guild", &guild]).await;
        if said.is_empty() {
            outcome.succeeded();
        } else {
            let error = outcome.refused();
            assert!(error.contains(&said) && error.contains("chain log, position"), "{sql}: {error}");
        }
    }
    let json = deployment.command(&["audit", "verify", "--json"]).await;
    let rows: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    let flawed: Vec<_> = rows.iter().filter(|row| row["state"] != "intact").collect();
    assert_eq!(flawed.len(), 1, "only this guild's log: {rows:?}");
    assert_eq!((&flawed[0]["guild_id"], &flawed[0]["state"]), (&json!(guild), &json!("missing")));
    connection.close().await.unwrap();
}

async fn every_entry_has_its_place_and_hash(deployment: &Deployment) {
    let before = log(deployment).await;
    note(deployment, 1).await;
    let after = log(deployment).await;
    let newest = &after["entries"][0];
    assert_eq!(newest["hash"], after["newest_hash"]);
    assert_ne!(before["newest_hash"], after["newest_hash"]);
    assert_eq!(newest["hash"].as_str().unwrap().len(), 64, "{newest}");
    let positions: Vec<_> = after["entries"].as_array().unwrap().iter().map(|row| &row["position"]).collect();
    let count = i64::try_from(positions.len()).unwrap();
    assert_eq!(positions, (1..=count).rev().map(Value::from).collect::<Vec<_>>().iter().collect::<Vec<_>>());
    assert_eq!(after["newest_sync_hash"], Value::Null);
    let member = deployment.guild().lacking().chat.clone();
    deployment.api().post("/interactions/sync", json!({ "user_id": member })).await.ok();
    let synced = log(deployment).await;
    let of_sync = synced["entries"].as_array().unwrap().iter().find(|row| row["action"] == "sync.member");
    assert_eq!(of_sync.unwrap()["hash"], synced["newest_sync_hash"]);
    // The same whatever is listed.
    let path = format!("/guilds/{}/audit-logs?action=nothing.here", deployment.guild().id);
    assert_eq!(deployment.api().get(&path).await.ok()["newest_hash"], synced["newest_hash"]);
}

async fn a_hash_that_a_guild_has_kept_is_looked_for(deployment: &Deployment) {
    let guild = deployment.guild().id.clone();
    note(deployment, 1).await;
    let kept = log(deployment).await["newest_hash"].as_str().unwrap().to_owned();
    note(deployment, 2).await;
    let verify =
        async |hash: &str| deployment.command(&["audit", "verify", "--guild", &guild, "--hash", hash]).await;
    verify(&kept).await.succeeded();
    let error = verify(&"ab".repeat(32)).await.refused();
    assert!(error.contains("no entry has this hash"), "{error}");
    let error = verify("abc").await.refused();
    assert!(error.contains("--hash") && error.contains("64 hexadecimal digits"), "{error}");
    let error = deployment.command(&["audit", "verify", "--hash", &kept]).await.refused();
    assert!(error.contains("--guild"), "{error}");
    let error = deployment.command(&["audit", "verify", "--guild", "7999999999999999999"]).await.refused();
    assert!(error.contains("not known"), "{error}");
}
