//! `/play/servers/...` and a guild's servers (docs/rules.md 7).

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Api, Deployment, both_modes, distributed_only, eventually, in_turn};

both_modes!(
    a_heartbeat_creates_a_server_and_keeps_it_live,
    a_command_is_returned_until_it_is_acknowledged,
    one_command_reaches_every_live_server(own),
    old_commands_expire(own),
    a_server_without_heartbeats_is_offline_until_the_next_one(own),
    servers_of_another_guild_are_unknown,
    every_call_has_its_rate_limit_and_scope,
);

in_turn!(heartbeats_are_checked, acknowledgements_are_checked,);

/// The longest wait for the effect of a schedule that is run now.
const MINUTE: Duration = Duration::from_mins(1);

mod fair;
mod kick;
mod players;
mod shared;
mod studio;
mod tick;

async fn heartbeat(api: &Api, server: &str, players: i64) {
    let body = json!({ "server_id": server, "place_id": 71, "universe_id": 72, "player_count": players });
    assert_eq!(api.post("/play/servers/heartbeat", body).await.ok(), json!({ "ok": true }));
}

async fn poll(api: &Api, server: &str) -> Vec<Value> {
    let data = api.get(&format!("/play/servers/{server}/commands")).await.ok();
    data["commands"].as_array().unwrap().clone()
}

async fn queue(api: &Api, server: &str, target: &str) -> String {
    let body = json!({ "type": "kick", "target_id": target, "reason": "spam" });
    let data = api.post(&format!("/play/servers/{server}/commands"), body).await.ok();
    assert_eq!((&data["type"], &data["server_id"]), (&json!("kick"), &json!(server)));
    data["id"].as_str().unwrap().to_owned()
}

async fn ack(api: &Api, server: &str, command: &str) {
    let path = format!("/play/servers/{server}/commands/{command}/ack");
    assert_eq!(api.post(&path, json!({ "status": "ok" })).await.ok(), json!({ "acked": true }));
}

async fn list(api: &Api, deployment: &Deployment, query: &str) -> Vec<Value> {
    let data = api.get(&format!("/guilds/{}/servers{query}", deployment.guild().id)).await.ok();
    data["servers"].as_array().unwrap().clone()
}

fn ids(commands: &[Value]) -> Vec<String> {
    commands.iter().map(|command| command["id"].as_str().unwrap().to_owned()).collect()
}

async fn a_heartbeat_creates_a_server_and_keeps_it_live(deployment: &Deployment) {
    let api = deployment.api();
    assert!(list(&api, deployment, "").await.is_empty());
    heartbeat(&api, "b", 3).await;
    heartbeat(&api, "a", 1).await;
    let servers = list(&api, deployment, "").await;
    assert_eq!((&servers[0]["server_id"], &servers[1]["server_id"]), (&json!("a"), &json!("b")));
    let server = &servers[1];
    assert_eq!((&server["place_id"], &server["universe_id"]), (&json!(71), &json!(72)));
    assert_eq!((&server["player_count"], &server["live"]), (&json!(3), &json!(true)));
    assert!(server["first_seen_at"].is_string() && server["last_heartbeat_at"].is_string());
    // Later heartbeats are written in batches, but listed at once.
    for players in 4..9 {
        heartbeat(&api, "b", players).await;
    }
    assert_eq!(list(&api, deployment, "").await[1]["player_count"], 8);
    assert_eq!(list(&api, deployment, "?live=true&place_id=71").await.len(), 2);
    assert!(list(&api, deployment, "?place_id=70").await.is_empty());
    assert!(list(&api, deployment, "?live=false").await.is_empty());
    let page = api.get(&format!("/guilds/{}/servers?limit=1", deployment.guild().id)).await.ok();
    assert_eq!((&page["servers"][0]["server_id"], &page["next_cursor"]), (&json!("a"), &json!("a")));
    let page = api.get(&format!("/guilds/{}/servers?limit=1&cursor=a", deployment.guild().id)).await.ok();
    assert_eq!((&page["servers"][0]["server_id"], &page["next_cursor"]), (&json!("b"), &Value::Null));
    api.get(&format!("/guilds/{}/servers?live=maybe", deployment.guild().id)).await.refused(400, &["live"]);
}

async fn heartbeats_are_checked(deployment: &Deployment) {
    let api = deployment.api();
    for (field, bad) in [
        ("server_id", json!(" ")),
        ("server_id", json!(5)),
        ("server_id", json!("x".repeat(201))),
        ("place_id", json!(-1)),
        ("universe_id", json!(null)),
        ("player_count", json!(-1)),
        ("player_count", json!(1.5)),
    ] {
        let mut body = json!({ "server_id": "s", "place_id": 1, "universe_id": 2, "player_count": 3 });
        body[field] = bad;
        api.post("/play/servers/heartbeat", body).await.refused(400, &[field]);
    }
    assert!(list(&api, deployment, "").await.is_empty());
    let text = json!({ "server_id": "s", "place_id": "1", "universe_id": "2", "player_count": 0 });
    api.post("/play/servers/heartbeat", text).await.ok();
    // Heartbeats write no audit entry.
    assert!(poll(&api, "s").await.is_empty());
    assert!(deployment.audit("servers.heartbeat").await.is_empty());
}

async fn a_command_is_returned_until_it_is_acknowledged(deployment: &Deployment) {
    let api = deployment.api();
    assert!(poll(&api, "s1").await.is_empty(), "a server without a heartbeat");
    let body = json!({ "type": "kick", "target_id": "5" });
    api.post("/play/servers/s1/commands", body).await.refused(404, &["server"]);
    heartbeat(&api, "s1", 1).await;
    heartbeat(&api, "s2", 1).await;
    assert!(poll(&api, "s1").await.is_empty());
    let first = queue(&api, "s1", "1").await;
    let second = queue(&api, "s1", "2").await;
    for _ in 0..3 {
        let commands = poll(&api, "s1").await;
        assert_eq!(ids(&commands), [first.clone(), second.clone()], "oldest first");
        let command = &commands[0];
        assert_eq!((&command["type"], &command["target_id"]), (&json!("kick"), &json!("1")));
        assert!(command["reason"] == "spam" && command["issued_at"].is_string(), "{command}");
    }
    assert!(poll(&api, "s2").await.is_empty());
    ack(&api, "s1", &first).await;
    assert_eq!(ids(&poll(&api, "s1").await), [second.as_str()]);
    ack(&api, "s1", &first).await;
    ack(&api, "s1", &second).await;
    assert!(poll(&api, "s1").await.is_empty());
    let owner = json!(deployment.guild().members[0].chat);
    for action in ["commands.queue", "commands.acknowledge"] {
        let entries = deployment.audit(action).await;
        assert_eq!((entries.len(), &entries[0]["target_id"]), (2, &json!(second)), "{action}");
        assert_eq!(entries[0]["actor_id"], owner);
    }
    // `target_id` may be a number, and `reason` absent.
    let body = json!({ "type": "server.restart", "target_id": 17 });
    let data = api.post("/play/servers/s2/commands", body).await.ok();
    assert_eq!((&data["target_id"], &data["reason"]), (&json!("17"), &json!("")));
    for (field, bad) in
        [("type", json!("kick all")), ("type", json!(null)), ("target_id", json!(-1)), ("reason", json!(7))]
    {
        let mut body = json!({ "type": "kick", "target_id": "5", "reason": "r" });
        body[field] = bad;
        api.post("/play/servers/s1/commands", body).await.refused(400, &[field]);
    }
}

async fn acknowledgements_are_checked(deployment: &Deployment) {
    let api = deployment.api();
    heartbeat(&api, "s1", 1).await;
    heartbeat(&api, "s2", 1).await;
    let id = queue(&api, "s1", "1").await;
    let path = format!("/play/servers/s1/commands/{id}/ack");
    for bad in [json!({}), json!({ "status": "done" }), json!({ "status": true })] {
        api.post(&path, bad).await.refused(400, &["status"]);
    }
    api.post(&path, json!({ "status": "ok", "message": 5 })).await.refused(400, &["message"]);
    for (server, command) in
        [("s1", "00000000-0000-7000-8000-000000000000"), ("s1", "nonsense"), ("s2", &id), ("s3", &id)]
    {
        let path = format!("/play/servers/{server}/commands/{command}/ack");
        api.post(&path, json!({ "status": "ok" })).await.refused(404, &["command"]);
    }
    assert_eq!(poll(&api, "s1").await.len(), 1);
    api.post(&path, json!({ "status": "error", "message": "no such player" })).await.ok();
    // The first acknowledgement counts.
    ack(&api, "s1", &id).await;
    let entries = deployment.audit("commands.acknowledge").await;
    let expected =
        json!({ "server_id": "s1", "target_id": "1", "status": "error", "message": "no such player" });
    assert_eq!((entries.len(), &entries[0]["metadata"]), (1, &expected));
}

async fn one_command_reaches_every_live_server(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/guilds/{}/servers/commands", guild.id);
    let body = json!({ "type": "announce", "target_id": "all", "reason": "restart at ten" });
    assert_eq!(api.post(&path, body.clone()).await.ok(), json!({ "queued": 0, "commands": [] }));
    for server in ["s1", "s2", "s3"] {
        heartbeat(&api, server, 1).await;
        assert!(poll(&api, server).await.is_empty());
    }
    heartbeat(&api.key(&deployment.other_guild().admin_key), "s4", 1).await;
    silence(deployment, "s3").await;
    let data = api.post(&path, body).await.ok();
    assert_eq!((&data["queued"], data["commands"].as_array().unwrap().len()), (&json!(2), 2));
    for (n, server) in ["s1", "s2"].into_iter().enumerate() {
        let commands = poll(&api, server).await;
        assert_eq!(
            (&commands[0]["id"], &commands[0]["type"]),
            (&data["commands"][n]["id"], &json!("announce"))
        );
    }
    assert!(poll(&api, "s3").await.is_empty());
    assert!(poll(&api.key(&deployment.other_guild().admin_key), "s4").await.is_empty());
    let entries = deployment.audit("commands.queue_all").await;
    assert_eq!((entries.len(), &entries[0]["metadata"]["after"]["servers"]), (2, &json!(2)));
}

/// Sets the server's last heartbeat far into the past.
async fn silence(deployment: &Deployment, server: &str) {
    // It writes the heartbeats that wait.
    list(&deployment.api(), deployment, "").await;
    let sql = format!(
        "UPDATE game_server SET last_heartbeat_at = '2026-01-01T00:00:00+00:00' WHERE server_id = '{server}'"
    );
    deployment.execute(&sql).await;
}

async fn old_commands_expire(deployment: &Deployment) {
    let api = deployment.api();
    heartbeat(&api, "s1", 1).await;
    let id = queue(&api, "s1", "1").await;
    deployment.execute("UPDATE server_command SET issued_at = '2026-01-01T00:00:00+00:00'").await;
    let young = queue(&api, "s1", "2").await;
    // An expired command is not returned, even before the sweep.
    assert_eq!(ids(&poll(&api, "s1").await), [young.as_str()]);
    deployment.run_schedule("commands").await;
    let entry = eventually("the end is audited", MINUTE, async || {
        deployment.audit("commands.expire").await.first().cloned()
    })
    .await;
    assert_eq!((&entry["target_id"], &entry["actor_id"]), (&json!(id), &json!("0")));
    // The sweep makes every process read the server's list again.
    deployment.execute("UPDATE server_command SET reason = 'as stored' WHERE state = 'queued'").await;
    deployment
        .execute("UPDATE server_command SET state = 'queued', ended_at = NULL WHERE ended_at IS NOT NULL")
        .await;
    deployment.run_schedule("commands").await;
    eventually("the command is read anew", MINUTE, async || {
        poll(&api, "s1").await.pop().filter(|command| command["reason"] == "as stored")
    })
    .await;
    // The server may have applied the expired command, so it can acknowledge it, for an hour.
    ack(&api, "s1", &id).await;
    ack(&api, "s1", &id).await;
    let over = "UPDATE server_command SET ended_at = '2026-01-01T00:00:00+00:00' WHERE ended_at IS NOT NULL";
    deployment.execute(over).await;
    deployment.run_schedule("old_commands").await;
    let path = format!("/play/servers/s1/commands/{id}/ack");
    eventually("the command is gone", MINUTE, async || {
        let answer = api.post(&path, json!({ "status": "ok" })).await;
        (answer.status == 404).then_some(())
    })
    .await;
    assert_eq!(ids(&poll(&api, "s1").await), [young]);
}

async fn a_server_without_heartbeats_is_offline_until_the_next_one(deployment: &Deployment) {
    let api = deployment.api();
    heartbeat(&api, "s1", 1).await;
    heartbeat(&api, "s2", 1).await;
    silence(deployment, "s1").await;
    let servers = list(&api, deployment, "").await;
    assert_eq!((&servers[0]["live"], &servers[1]["live"]), (&json!(false), &json!(true)));
    assert_eq!(list(&api, deployment, "?live=false").await.len(), 1);
    heartbeat(&api, "s1", 2).await;
    assert_eq!(list(&api, deployment, "?live=true").await.len(), 2);
}

async fn servers_of_another_guild_are_unknown(deployment: &Deployment) {
    let (api, stranger) = (deployment.api(), deployment.api().key(&deployment.other_guild().admin_key));
    heartbeat(&api, "s1", 1).await;
    let id = queue(&api, "s1", "1").await;
    assert!(poll(&stranger, "s1").await.is_empty());
    let body = json!({ "type": "kick", "target_id": "5" });
    stranger.post("/play/servers/s1/commands", body).await.refused(404, &[]);
    let path = format!("/play/servers/s1/commands/{id}/ack");
    stranger.post(&path, json!({ "status": "ok" })).await.refused(404, &[]);
    // A server id is unique within its guild only.
    heartbeat(&stranger, "s1", 9).await;
    stranger.post(&path, json!({ "status": "ok" })).await.refused(404, &[]);
    assert_eq!(list(&api, deployment, "").await[0]["player_count"], 1);
    assert_eq!(ids(&poll(&api, "s1").await), [id]);
    stranger.get(&format!("/guilds/{}/servers", deployment.guild().id)).await.refused(403, &[]);
}

async fn every_call_has_its_rate_limit_and_scope(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let limits = [
        (api.post("/play/servers/heartbeat", json!({})).await, 300),
        (api.get("/play/servers/s/commands").await, 300),
        (api.post("/play/servers/s/commands/c/ack", json!({})).await, 100),
        (api.post("/play/servers/s/commands", json!({})).await, 50),
        (api.post(&format!("/guilds/{}/servers/commands", guild.id), json!({})).await, 20),
        (api.get(&format!("/guilds/{}/servers", guild.id)).await, 100),
    ];
    for (answer, limit) in limits {
        let window = (answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining"));
        assert_eq!(window, (limit, limit - 1), "{answer}");
    }
    // The scope of game servers does not suffice to queue commands.
    let play = api.key(&deployment.new_key("play").await);
    heartbeat(&play, "s1", 1).await;
    let body = json!({ "type": "kick", "target_id": "5" });
    play.post("/play/servers/s1/commands", body.clone()).await.refused(403, &["moderation"]);
    play.post(&format!("/guilds/{}/servers/commands", guild.id), body).await.refused(403, &["moderation"]);
    assert!(poll(&play, "s1").await.is_empty());
}
