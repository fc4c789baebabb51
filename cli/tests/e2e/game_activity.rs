//! `/staff/play/...`, `/play/games/register` and the permissions of a player (docs/rules.md 6).

use std::time::Duration;

use chrono::TimeDelta;
use entities::staff_session::{self, Column};
use entities::{Second, SessionId};
use runtime::Clock;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use testkit::{Api, Deployment, both_modes, distributed_only, eventually};

both_modes!(
    a_players_staff_role_and_permissions_are_returned,
    a_game_is_registered_once_for_its_universe,
    a_session_starts_beats_and_ends,
    a_new_session_ends_the_old_one_at_its_last_heartbeat,
    actions_are_checked_and_recorded,
    a_session_of_another_guild_is_unknown,
    every_call_has_its_own_bucket,
    a_key_of_a_game_server_is_enough,
    heartbeats_are_written_before_a_stop(own),
    heartbeats_are_written_before_a_removal,
);

mod outage;
mod silence;

async fn start(api: &Api, play: i64) -> String {
    let data = api.post("/staff/play/session/start", place(play)).await.ok();
    assert!(data["started_at"].is_string(), "{data}");
    data["session_id"].as_str().unwrap().to_owned()
}

fn place(play: i64) -> Value {
    json!({ "play_id": play, "place_id": 77, "server_id": "server-1" })
}

async fn heartbeat(api: &Api, session: &str) -> Value {
    let data = api.post("/staff/play/heartbeat", json!({ "session_id": session })).await.ok();
    assert_eq!(data.as_object().unwrap().len(), 1, "{data}");
    data["alive"].clone()
}

async fn end(api: &Api, session: &str) -> i64 {
    let data = api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    assert_eq!(data["session_id"], session);
    data["duration_seconds"].as_i64().unwrap()
}

/// As if the session had started so many seconds ago, and its last heartbeat had come so many seconds ago.
async fn aged(deployment: &Deployment, session: &str, started: i64, heard: i64) {
    let at = |ago| Expr::value(Second::from(Clock::system().now() - TimeDelta::seconds(ago)));
    let aged = staff_session::Entity::update_many()
        .col_expr(Column::StartedSecond, at(started))
        .col_expr(Column::HeartbeatSecond, at(heard))
        .filter(Column::SessionId.eq(SessionId(session.parse().unwrap())));
    let connection = deployment.connect().await;
    assert_eq!(aged.exec(&connection).await.unwrap().rows_affected, 1);
    connection.close().await.unwrap();
}

async fn a_players_staff_role_and_permissions_are_returned(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let admin = &guild.members[0];
    let data =
        api.post("/staff/play/verify", json!({ "guild_id": guild.id, "play_id": admin.play })).await.ok();
    let expected = json!({ "is_staff": true, "chat_id": admin.chat, "role_name": "Admin",
                           "permissions": ["kick", "ban", "warn"] });
    assert_eq!(data, expected);
    let text = json!({ "play_id": guild.members[1].play.to_string() });
    let data = api.post("/staff/play/verify", text).await.ok();
    assert_eq!((&data["role_name"], &data["permissions"]), (&json!("Moderator"), &json!(["kick", "warn"])));
    // A member who is not staff, an account without a link, staff of another guild.
    for play in [guild.members[9].play, 999_999_999, deployment.other_guild().members[0].play] {
        let data = api.post("/staff/play/verify", json!({ "play_id": play })).await.ok();
        let expected = json!({ "is_staff": false, "chat_id": null, "role_name": null, "permissions": [] });
        assert_eq!(data, expected, "{play}");
        let data = api.get(&format!("/guilds/{}/staff/play/{play}/permissions", guild.id)).await.ok();
        assert_eq!((&data["is_staff"], &data["permissions"]), (&json!(false), &json!([])), "{play}");
    }
    let data = api.get(&format!("/guilds/{}/staff/play/{}/permissions", guild.id, admin.play)).await.ok();
    assert_eq!(data["play_id"], admin.play);
    assert_eq!((&data["is_staff"], &data["role_name"]), (&json!(true), &json!("Admin")));
    assert_eq!(data["permissions"], json!(["kick", "ban", "warn"]));
    api.post("/staff/play/verify", json!({})).await.refused(400, &["play_id"]);
    api.post("/staff/play/verify", json!({ "play_id": "x" })).await.refused(400, &["play_id"]);
    api.get(&format!("/guilds/{}/staff/play/x/permissions", guild.id)).await.refused(400, &["playId"]);
}

async fn a_game_is_registered_once_for_its_universe(deployment: &Deployment) {
    let api = deployment.api();
    let game = json!({ "place_id": 11, "universe_id": 12, "name": "Castle" });
    let first = api.post("/play/games/register", game.clone()).await;
    assert_eq!((first.message(), &first.clone().ok()["registered"]), ("game registered", &json!(true)));
    let again = api.post("/play/games/register", game).await;
    assert!(again.message().contains("already"), "{again}");
    assert_eq!(again.ok(), json!({ "registered": true, "already_registered": true }));
    let entries = deployment.audit("games.register").await;
    assert_eq!((entries.len(), &entries[0]["target_id"]), (1, &json!("12")));
    for field in ["place_id", "universe_id", "name"] {
        let mut wrong = json!({ "place_id": 11, "universe_id": 12, "name": "Castle" });
        wrong[field] = json!([]);
        api.post("/play/games/register", wrong).await.refused(400, &[field]);
    }
}

async fn a_session_starts_beats_and_ends(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let admin = &guild.members[0];
    for play in [guild.members[9].play, 999_999_999] {
        api.post("/staff/play/session/start", place(play)).await.refused(404, &["staff"]);
    }
    for field in ["play_id", "place_id", "server_id"] {
        let mut wrong = place(admin.play);
        wrong.as_object_mut().unwrap().remove(field);
        api.post("/staff/play/session/start", wrong).await.refused(400, &[field]);
    }
    let session = start(&api, admin.play).await;
    aged(deployment, &session, 100, 60).await;
    assert_eq!(heartbeat(&api, &session).await, true);
    assert_eq!(heartbeat(&api, &session).await, true);
    assert!((100..=110).contains(&end(&api, &session).await));
    assert_eq!(heartbeat(&api, &session).await, false);
    let body = json!({ "session_id": session });
    let answer = api.post("/staff/play/session/end", body.clone()).await.refused(409, &["ended"]);
    assert_eq!(answer.error(), "session_ended");
    for action in ["sessions.start", "sessions.end"] {
        let entries = deployment.audit(action).await;
        assert_eq!(entries.len(), 1, "{action}");
        assert_eq!(
            (&entries[0]["actor_id"], &entries[0]["target_id"]),
            (&json!(admin.chat), &json!(session))
        );
    }
    for unknown in ["00000000-0000-7000-8000-000000000000", "nonsense"] {
        let body = json!({ "session_id": unknown });
        api.post("/staff/play/heartbeat", body.clone()).await.refused(404, &["session"]);
        api.post("/staff/play/session/end", body).await.refused(404, &["session"]);
    }
    for path in ["/staff/play/heartbeat", "/staff/play/session/end"] {
        api.post(path, json!({})).await.refused(400, &["session_id"]);
        api.post(path, json!({ "session_id": 5 })).await.refused(400, &["session_id"]);
    }
}

async fn a_new_session_ends_the_old_one_at_its_last_heartbeat(deployment: &Deployment) {
    let (api, admin) = (deployment.api(), &deployment.guild().members[0]);
    let first = start(&api, admin.play).await;
    aged(deployment, &first, 100, 60).await;
    let second = start(&api, admin.play).await;
    assert_eq!(heartbeat(&api, &first).await, false);
    assert_eq!(heartbeat(&api, &second).await, true);
    let entries = deployment.audit("sessions.start").await;
    let ended = &entries[0]["metadata"]["ended"];
    assert_eq!(ended["session_id"], first);
    // The duration reaches from the start to the last heartbeat.
    assert_eq!(ended["duration_seconds"], 40, "{ended}");
    api.post("/staff/play/session/end", json!({ "session_id": first })).await.refused(409, &[]);
    // That of a session that a game server ends reaches to the end, past the last heartbeat.
    aged(deployment, &second, 100, 60).await;
    assert!((100..=110).contains(&end(&api, &second).await));
}

async fn actions_are_checked_and_recorded(deployment: &Deployment) {
    let (api, admin) = (deployment.api(), &deployment.guild().members[0]);
    let session = start(&api, admin.play).await;
    let action = |change: Value| {
        let mut body = json!({ "session_id": session, "action_type": "kick", "target_id": "555",
                               "details": { "why": "spam" } });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    let id = api.post("/staff/play/action", action(json!({}))).await.ok()["id"].as_i64().unwrap();
    let number = json!({ "target_id": 556, "action_type": "warn", "details": null });
    let second = api.post("/staff/play/action", action(number)).await.ok()["id"].as_i64().unwrap();
    assert!(second > id);
    let path = format!("/staff/activity/{}", deployment.guild().id);
    let actions = api.get(&path).await.ok()["actions"].clone();
    assert_eq!((&actions[0]["id"], &actions[0]["target_id"]), (&json!(second), &json!("556")));
    assert_eq!((&actions[1]["staff_id"], &actions[1]["action_type"]), (&json!(admin.chat), &json!("kick")));
    let entries = deployment.audit("actions.add").await;
    assert_eq!((entries.len(), &entries[0]["actor_id"]), (2, &json!(admin.chat)));
    for (change, word) in [
        (json!({ "action_type": "jail" }), "action_type"),
        (json!({ "action_type": 5 }), "action_type"),
        (json!({ "target_id": "" }), "target_id"),
        (json!({ "target_id": [] }), "target_id"),
        (json!({ "details": [1] }), "details"),
        (json!({ "details": { "x": "y".repeat(20_000) } }), "details"),
    ] {
        api.post("/staff/play/action", action(change)).await.refused(400, &[word]);
    }
    let unknown = json!({ "session_id": "00000000-0000-7000-8000-000000000000" });
    api.post("/staff/play/action", action(unknown)).await.refused(404, &["session"]);
    end(&api, &session).await;
    api.post("/staff/play/action", action(json!({}))).await.refused(409, &["ended"]);
    assert_eq!(deployment.audit("actions.add").await.len(), 2);
}

async fn a_session_of_another_guild_is_unknown(deployment: &Deployment) {
    let (api, stranger) = (deployment.api(), deployment.api().key(&deployment.other_guild().admin_key));
    let session = start(&api, deployment.guild().members[0].play).await;
    assert_eq!(heartbeat(&api, &session).await, true);
    let nobodys = "00000000-0000-7000-8000-000000000000";
    for path in ["/staff/play/heartbeat", "/staff/play/session/end", "/staff/play/action"] {
        let body = |id: &str| json!({ "session_id": id, "action_type": "kick", "target_id": "5" });
        let other = stranger.post(path, body(&session)).await.refused(404, &[]);
        let unknown = stranger.post(path, body(nobodys)).await.refused(404, &[]);
        assert_eq!(other.without_request_id(), unknown.without_request_id());
    }
    assert_eq!(heartbeat(&api, &session).await, true);
    let body = json!({ "guild_id": deployment.guild().id, "play_id": 5 });
    stranger.post("/staff/play/verify", body).await.refused(403, &[]);
}

async fn every_call_has_its_own_bucket(deployment: &Deployment) {
    let api = deployment.api();
    let mut buckets = Vec::new();
    for (path, limit) in [
        ("/staff/play/verify", 200),
        ("/play/games/register", 200),
        ("/staff/play/action", 200),
        ("/staff/play/session/start", 100),
        ("/staff/play/session/end", 100),
        ("/staff/play/heartbeat", 300),
    ] {
        let answer = api.post(path, json!({})).await.refused(400, &[]);
        assert_eq!(answer.number("x-ratelimit-limit"), limit, "{path}");
        assert_eq!(answer.number("x-ratelimit-remaining"), limit - 1, "{path}");
        buckets.push(answer.header("x-ratelimit-bucket").unwrap().to_owned());
    }
    let answer = api.get(&format!("/guilds/{}/staff/play/5/permissions", deployment.guild().id)).await;
    assert_eq!((answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining")), (200, 199));
    buckets.push(answer.header("x-ratelimit-bucket").unwrap().to_owned());
    buckets.sort();
    buckets.dedup();
    assert_eq!(buckets.len(), 7);
}

async fn a_key_of_a_game_server_is_enough(deployment: &Deployment) {
    let (play, read) = (deployment.new_key("play").await, deployment.new_key("read").await);
    let member = &deployment.guild().members[0];
    let api = deployment.api().key(&play);
    let session = start(&api, member.play).await;
    assert_eq!(heartbeat(&api, &session).await, true);
    api.post("/staff/play/verify", json!({ "play_id": member.play })).await.ok();
    end(&api, &session).await;
    deployment
        .api()
        .key(&read)
        .post("/staff/play/verify", json!({ "play_id": 5 }))
        .await
        .refused(403, &["play"]);
}

async fn heartbeats_are_written_before_a_stop(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[0]);
    let session = start(&api, member.play).await;
    aged(deployment, &session, 100, 60).await;
    // The process stops before this heartbeat's batch is due.
    assert_eq!(heartbeat(&api, &session).await, true);
    let role = if deployment.database.is_some() { "api" } else { "serve" };
    let mut old = deployment.roles().apis.remove(0);
    old.process.terminate();
    assert!(old.process.ended(Duration::from_secs(20)).await.success(), "{}", old.process.log());
    let new = deployment.spawn(role);
    deployment.roles().apis.push(new);
    deployment.wait_until_ready().await;
    let api = deployment.api();
    start(&api, member.play).await;
    let entries = deployment.audit("sessions.start").await;
    let ended = &entries[0]["metadata"]["ended"];
    assert!(ended["duration_seconds"].as_i64().unwrap() >= 100, "{ended}");
}

async fn heartbeats_are_written_before_a_removal(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[3];
    let session = start(&api, member.play).await;
    aged(deployment, &session, 100, 60).await;
    // Its batch is not due yet.
    assert_eq!(heartbeat(&api, &session).await, true);
    api.delete(&format!("/guilds/{}/staff/members/{}", guild.id, member.chat)).await.ok();
    let connection = deployment.connect().await;
    let of_session = staff_session::Entity::find_by_id(SessionId(session.parse().unwrap()));
    let row = of_session.one(&connection).await.unwrap().unwrap();
    connection.close().await.unwrap();
    let lasted = row.ended_second.unwrap().since(row.started_second);
    assert!(lasted >= 100, "{lasted} s");
}
