//! No path lets one guild's key see or change another guild: 403 where the guild is named, 404 where an id is.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{World, both_modes};

both_modes!(naming_another_guild_is_403_on_every_path, another_guilds_ids_are_404_and_nothing_changes);

/// Every implemented path that takes the guild from path, body or header, as `(method, path, body)`.
fn paths(guild: &str) -> Vec<(Method, String, Option<Value>)> {
    let of_guild = |rest: &str| format!("/guilds/{guild}/{rest}");
    let mut all: Vec<(Method, String, Option<Value>)> =
        ["roles", "members", "verified-users", "audit-logs", "settings", "jobs"]
            .into_iter()
            .map(|rest| (Method::GET, of_guild(rest), None))
            .collect();
    all.push((Method::POST, of_guild("audit-logs"), Some(json!({ "action": "a.b", "metadata": {} }))));
    all.push((Method::PATCH, of_guild("settings"), Some(json!({ "strike_days": 1 }))));
    let binding = json!({ "type": "group_rank", "group_id": 1, "rank": 1, "role_id": "1", "chat_id": "1" });
    let user = json!({ "user_id": "1000000000000000000", "role_id": "1" });
    for (path, body) in [
        ("/lookup/status", json!({ "chat_ids": ["1"] })),
        ("/reverse", json!({ "play_ids": [1] })),
        ("/bindings/add", binding.clone()),
        ("/bindings/test", binding.clone()),
        ("/bindings/validate", binding),
        ("/interactions/sync", user.clone()),
        ("/interactions/sync/all", json!({})),
        ("/interactions/roles/assign", user.clone()),
        ("/interactions/roles/remove", user),
    ] {
        let mut body = body;
        body["guild_id"] = json!(guild);
        all.push((Method::POST, path.to_owned(), Some(body)));
    }
    let update = json!({ "guild_id": guild, "binding_id": 1, "rank": 2 });
    all.push((Method::PATCH, "/bindings/update".to_owned(), Some(update)));
    all
}

/// Paths that name no guild: the header does.
const BY_HEADER: [(Method, &str); 6] = [
    (Method::GET, "/lookup/chat/1000000000000000000"),
    (Method::GET, "/lookup/play/10000"),
    (Method::GET, "/bindings/list"),
    (Method::DELETE, "/bindings/remove/1"),
    (Method::GET, "/jobs/01900000-0000-7000-8000-000000000000"),
    (Method::DELETE, "/jobs/01900000-0000-7000-8000-000000000000"),
];

async fn picture(world: &World) -> Vec<Value> {
    let mut seen = Vec::new();
    for guild in &world.fixture.guilds {
        let api = world.api().key(&guild.admin_key);
        for path in ["members", "settings", "jobs", "audit-logs"] {
            seen.push(api.get(&format!("/guilds/{}/{path}", guild.id)).await.ok());
        }
        seen.push(api.get("/bindings/list").await.ok());
    }
    seen
}

async fn naming_another_guild_is_403_on_every_path(world: &World) {
    let (api, other) = (world.api(), &world.other_guild().id);
    let before = picture(world).await;
    for guild in [other.as_str(), "7999999999999999999"] {
        for (method, path, body) in paths(guild) {
            api.send(method, &path, body).await.refused(403, &[]);
        }
        for (method, path) in BY_HEADER {
            api.header("x-guild-id", guild).send(method, path, None).await.refused(403, &[]);
        }
    }
    // With a key of its own the same requests pass the guard.
    let theirs = api.key(&world.other_guild().admin_key);
    for (method, path, body) in paths(other) {
        if method == Method::GET {
            let answer = theirs.send(method, &path, body).await;
            assert_eq!(answer.status, 200, "{answer}");
        }
    }
    assert_eq!(picture(world).await, before);
    assert_eq!(world.simulator.member_updates().await, 0);
}

async fn another_guilds_ids_are_404_and_nothing_changes(world: &World) {
    let (api, other) = (world.api(), world.other_guild());
    let their_api = api.key(&other.admin_key);
    let binding = their_api.get("/bindings/list").await.ok()["bindings"][0]["id"].clone();
    let job =
        their_api.post("/interactions/sync/all", json!({ "dry_run": true })).await.ok()["job_id"].clone();
    world.job_of(&other.admin_key, job.as_str().unwrap()).await;
    let before = picture(world).await;
    let member = &other.members[0];
    let role = json!({ "user_id": member.chat, "role_id": world.guild().roles[0] });
    for (method, path, body) in [
        (Method::GET, format!("/lookup/chat/{}", member.chat), None),
        (Method::GET, format!("/lookup/play/{}", member.play), None),
        (Method::PATCH, "/bindings/update".to_owned(), Some(json!({ "binding_id": binding, "rank": 9 }))),
        (Method::DELETE, format!("/bindings/remove/{binding}"), None),
        (Method::POST, "/interactions/sync".to_owned(), Some(json!({ "user_id": member.chat }))),
        (Method::POST, "/interactions/roles/assign".to_owned(), Some(role.clone())),
        (Method::POST, "/interactions/roles/remove".to_owned(), Some(role)),
        (Method::GET, format!("/jobs/{}", job.as_str().unwrap()), None),
        (Method::DELETE, format!("/jobs/{}", job.as_str().unwrap()), None),
    ] {
        api.send(method, &path, body).await.refused(404, &[]);
    }
    let after = picture(world).await;
    // The jobs that failed with 404 are the first guild's own; everything else stands as it was.
    assert_eq!((&after[0], &after[1], &after[4..]), (&before[0], &before[1], &before[4..]));
    assert_eq!(world.simulator.member_updates().await, 0);
}
