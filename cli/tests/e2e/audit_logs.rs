//! `/guilds/:guildId/audit-logs` (docs/rules.md 3 and 8).

use serde_json::{Value, json};

use testkit::{Deployment, both_modes};

both_modes!(pages_are_newest_first_and_never_skip, entries_of_clients_are_kept, every_write_leaves_an_entry);

fn ids(page: &Value) -> Vec<i64> {
    page["entries"].as_array().unwrap().iter().map(|entry| entry["id"].as_i64().unwrap()).collect()
}

async fn pages_are_newest_first_and_never_skip(deployment: &Deployment) {
    let (api, path) = (deployment.api(), format!("/guilds/{}/audit-logs", deployment.guild().id));
    let mut written = Vec::new();
    for n in 0..7 {
        let action = if n % 2 == 0 { "shop.buy" } else { "shop.sell" };
        let data = api.post(&path, json!({ "action": action, "metadata": { "n": n } })).await.ok();
        written.push(data["id"].as_i64().unwrap());
    }
    written.reverse();
    let first = api.get(&format!("{path}?limit=3")).await.ok();
    assert_eq!(ids(&first), written[..3]);
    let cursor = &first["next_cursor"];
    assert_eq!(cursor.to_string().replace('"', ""), written[2].to_string());
    // A row added between two pages does not shift the second page.
    api.post(&path, json!({ "action": "shop.late", "metadata": {} })).await.ok();
    let second = api.get(&format!("{path}?limit=3&cursor={}", written[2])).await.ok();
    assert_eq!(ids(&second), written[3..6]);
    let third = api.get(&format!("{path}?limit=100&cursor={}", written[5])).await.ok();
    assert_eq!(ids(&third)[0], written[6]);
    assert_eq!(third["next_cursor"], Value::Null);
    let sold = api.get(&format!("{path}?action=shop.sell")).await.ok();
    assert_eq!(ids(&sold), [written[1], written[3], written[5]]);
    assert_eq!(sold["next_cursor"], Value::Null);
    // An area is all that begins with it and a dot.
    api.post(&path, json!({ "action": "shopping.buy", "metadata": {} })).await.ok();
    api.post(&path, json!({ "action": "shop_buy.x", "metadata": {} })).await.ok();
    let area = api.get(&format!("{path}?action=shop")).await.ok();
    let actions: Vec<_> = area["entries"].as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions.len(), 8, "{actions:?}");
    assert_eq!(ids(&api.get(&format!("{path}?action=shop_buy")).await.ok()).len(), 1);
    assert_eq!(ids(&api.get(&format!("{path}?action=s_op")).await.ok()).len(), 0);
    api.get(&format!("{path}?action=shop.")).await.refused(400, &["action"]);
    // A last page with exactly `limit` rows has no cursor.
    let bought = api.get(&format!("{path}?action=shop.buy&limit=4")).await.ok();
    assert_eq!((ids(&bought).len(), &bought["next_cursor"]), (4, &Value::Null));
    // A limit above 100 is cut to 100.
    api.get(&format!("{path}?limit=5000")).await.ok();
}

async fn entries_of_clients_are_kept(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/guilds/{}/audit-logs", guild.id);
    let metadata = json!({ "deep": { "list": [1, "two", null] }, "text": "ünïcode \u{1F600}" });
    let id =
        api.post(&path, json!({ "action": "event.note", "metadata": metadata })).await.ok()["id"].clone();
    let entry = api.get(&path).await.ok()["entries"][0].clone();
    assert_eq!((&entry["id"], &entry["action"], &entry["metadata"]), (&id, &json!("event.note"), &metadata));
    assert_eq!(entry["actor_id"], guild.members[0].chat.as_str(), "the key's owner");
    assert_eq!(entry["source"], "custom");
    // The `source` in a request body is ignored.
    let binding =
        json!({ "type": "group_rank", "group_id": guild.group, "rank": 255, "role_id": guild.roles[3] });
    api.post("/bindings/add", binding).await.ok();
    let forged =
        json!({ "action": "bindings.add", "source": "service", "metadata": { "source": "service" } });
    api.post(&path, forged).await.ok();
    let of_syncs = api.post(&path, json!({ "action": "sync.member" })).await;
    assert_eq!(of_syncs.refused(422, &["`action`", "sync.member"]).error(), "action_of_syncs");
    let entries = deployment.audit("bindings.add").await;
    let sources: Vec<_> = entries.iter().map(|entry| entry["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["custom", "service"]);
    for (source, count) in [("custom", 1), ("service", 1)] {
        let page = api.get(&format!("{path}?action=bindings.add&source={source}")).await.ok();
        assert_eq!(page["entries"].as_array().unwrap().len(), count, "{page}");
        assert_eq!(page["entries"][0]["source"], source);
    }
    api.get(&format!("{path}?source=mine")).await.refused(400, &["source"]);
    assert!(entry["target_id"].is_string() && entry["created_at"].is_string(), "{entry}");
    let other = deployment.other_guild();
    let theirs = api.key(&other.admin_key).get(&format!("/guilds/{}/audit-logs", other.id)).await.ok();
    assert!(!theirs.to_string().contains("event.note"), "{theirs}");
}

async fn every_write_leaves_an_entry(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, extra) = (guild.lacking(), guild.with_extra());
    let binding =
        json!({ "type": "group_rank", "group_id": guild.group, "rank": 255, "role_id": guild.roles[3] });
    let request = "audit-test-1";
    let added = api.header("x-request-id", request).post("/bindings/add", binding).await.ok()["id"].clone();
    api.patch("/bindings/update", json!({ "binding_id": added, "rank": 254 })).await.ok();
    api.delete(&format!("/bindings/remove/{added}")).await.ok();
    api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "strike_days": 5 })).await.ok();
    let role = json!({ "user_id": extra.chat, "role_id": guild.roles[0] });
    api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    api.post("/interactions/roles/assign", role.clone()).await.ok();
    api.post("/interactions/roles/remove", role).await.ok();
    let job = api.post("/interactions/sync/all", json!({})).await.ok()["job_id"].clone();
    deployment.job_ended(job.as_str().unwrap()).await;

    let entries = api.get(&format!("/guilds/{}/audit-logs", guild.id)).await.ok()["entries"].clone();
    let actions: Vec<&str> =
        entries.as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    for wanted in [
        "bindings.add",
        "bindings.update",
        "bindings.remove",
        "settings.update",
        "sync.requested",
        "sync.member",
        "roles.assign_requested",
        "roles.assign",
        "roles.remove_requested",
        "roles.remove",
        "sync.all_requested",
        "job.finished",
    ] {
        assert!(actions.contains(&wanted), "no {wanted} in {actions:?}");
    }
    let of =
        |action: &str| entries.as_array().unwrap().iter().find(|entry| entry["action"] == action).unwrap();
    let update = of("bindings.update");
    assert_eq!(update["target_id"], added.to_string());
    assert_eq!(
        (&update["metadata"]["before"]["rank"], &update["metadata"]["after"]["rank"]),
        (&json!(255), &json!(254))
    );
    assert_eq!(of("bindings.add")["request_id"], request, "{}", of("bindings.add"));
    let of_one = entries.as_array().unwrap().iter().filter(|entry| entry["action"] == "sync.member");
    assert!(of_one.clone().any(|entry| entry["target_id"] == member.chat.as_str()), "{entries}");
    assert!(of_one.count() > 1, "and one for each member whom the sync of all changed");
    // Only the seeding has the service as its actor.
    let by_service = |entry: &&Value| entry["actor_id"] == "0";
    let unasked: Vec<_> = entries.as_array().unwrap().iter().filter(by_service).collect();
    assert!(unasked.iter().all(|entry| entry["action"] == "guilds.seed"), "{unasked:?}");
    // Refused requests write no entry.
    let count = actions.len();
    api.delete("/bindings/remove/999999").await.refused(404, &[]);
    api.post("/interactions/sync", json!({ "user_id": "1999999999999999999" })).await.refused(404, &[]);
    api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "strike_days": -5 }))
        .await
        .refused(400, &[]);
    let after = api.get(&format!("/guilds/{}/audit-logs", guild.id)).await.ok()["entries"].clone();
    assert_eq!(after.as_array().unwrap().len(), count, "{after}");
}
