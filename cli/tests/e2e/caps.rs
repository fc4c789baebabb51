//! How many rows a guild may have of each type (docs/rules.md 3).

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Deployment, Mode, OUTSIDER, both_modes, in_turn};

both_modes!(
    a_guild_with_as_many_rows_as_it_may_have_gets_no_more(own),
    a_command_for_all_servers_needs_room_for_each(own),
    an_offline_server_makes_room_for_a_new_one(own),
    a_server_has_a_hundred_pending_commands_at_most,
);

in_turn!(a_guild_with_a_million_links_gets_no_more(own));

const PAST: &str = "'2026-01-01T00:00:00+00:00'";
const FUTURE: &str = "'2126-01-01T00:00:00+00:00'";

/// Inserts `count` rows; `columns` and `values` are lists in SQL, in which `i` is the row's number.
async fn fill(deployment: &Deployment, count: u64, table: &str, columns: &str, values: &str) {
    let sql = format!(
        "INSERT INTO {table} (guild_id, {columns})
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         SELECT {}, {values} FROM n",
        deployment.guild().id
    );
    deployment.execute(&sql).await;
}

async fn refused(deployment: &Deployment, method: Method, path: &str, body: Value, message: &str) {
    let answer = deployment.api().send(method, path, Some(body)).await;
    assert_eq!(answer.refused(422, &[message]).error(), "too_many", "{path}");
}

async fn game_servers(deployment: &Deployment, count: u64) {
    let columns = "server_id, place_id, universe_id, player_count, first_seen_at, last_heartbeat_at";
    let values = format!("'full' || i, 1, 2, 3, {PAST}, {FUTURE}");
    fill(deployment, count, "game_server", columns, &values).await;
}

/// The rows that fill the first guild up to a cap, and the request for one more.
struct Full {
    /// With the rows of the fixture: as many as the cap.
    count: u64,
    table: &'static str,
    columns: &'static str,
    values: String,
    /// Below the guild, unless it begins with a slash. With the id 999 a `PUT`.
    path: &'static str,
    body: Value,
    message: &'static str,
}

fn staff(deployment: &Deployment) -> [Full; 6] {
    let guild = deployment.guild();
    let (staff, high) = (&guild.members[0].chat, &guild.high_role);
    let (starts_at, ends_at) = ("2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z");
    [
        Full {
            count: 248,
            table: "staff_role",
            columns: "role_id, role_name, permissions, play_permissions, created_at",
            values: format!("i, 'r' || i, '[]', '[]', {PAST}"),
            path: "staff/roles/999",
            body: json!({ "role_name": "r" }),
            message: "250 staff roles",
        },
        Full {
            count: 4_996,
            table: "staff_member",
            columns: "chat_id, role_id, joined_at",
            values: format!("i + 1000, {high}, {PAST}"),
            path: "staff/members/999",
            body: json!({ "role_id": high }),
            message: "5000 staff members",
        },
        Full {
            count: 10_000,
            table: "loa",
            columns: "staff_id, starts_at, ends_at, reason, status, created_at",
            values: format!("1, {PAST}, {FUTURE}, 'r', 'expired', {PAST}"),
            path: "staff/loa",
            body: json!({ "staff_id": staff, "starts_at": starts_at, "ends_at": ends_at, "reason": "r" }),
            message: "10000 leaves of absence",
        },
        Full {
            count: 10_000,
            table: "strike",
            columns: "staff_id, reason, severity, issued_by, created_at, expires_at",
            values: format!("1, 'r', 1, 1, {PAST}, {FUTURE}"),
            path: "staff/strikes",
            body: json!({ "staff_id": staff, "reason": "r", "severity": 1 }),
            message: "10000 strikes",
        },
        Full {
            count: 10_000,
            table: "staff_note",
            columns: "staff_id, author_id, body, created_at, updated_at",
            values: format!("1, 1, 'b', {PAST}, {PAST}"),
            path: "staff/notes",
            body: json!({ "staff_id": staff, "body": "b" }),
            message: "10000 notes",
        },
        Full {
            count: 500,
            table: "quota",
            columns: "name, metric, target, period, requires_approval, created_at",
            values: format!("'q', 'ban', 1, 'week', false, {PAST}"),
            path: "staff/quota",
            body: json!({ "name": "q", "metric": "ban", "target": 1, "period": "week" }),
            message: "500 quotas",
        },
    ]
}

fn others(deployment: &Deployment) -> [Full; 5] {
    let guild = deployment.guild();
    let (id, hash) = match deployment.mode() {
        Mode::Embedded => ("randomblob(16)", "zeroblob(32)"),
        Mode::Distributed => ("gen_random_uuid()", "decode(repeat('00', 32), 'hex')"),
    };
    [
        Full {
            count: 100_000,
            table: "link_attempt",
            columns: "attempt_id, chat_id, chat_name, state, code_hash, words, created_at, expires_at",
            values: format!("{id}, i, 'n', 'held', {hash}, 'w', {PAST}, {FUTURE}"),
            path: "link-attempts",
            body: json!({ "chat_id": guild.members[0].chat }),
            message: "100000 unfinished attempts to link",
        },
        Full {
            count: 496,
            table: "binding",
            columns: "kind, group_id, rank, role_id, created_at",
            values: format!("'group_rank', i + 900, 1, 1, {PAST}"),
            path: "/bindings/add",
            body: json!({ "type": "group_rank", "group_id": 1, "rank": 1, "role_id": guild.roles[0] }),
            message: "500 bindings",
        },
        Full {
            count: 100,
            table: "application_panel",
            columns: "panel_id, name, created_at",
            values: format!("i, 'p', {PAST}"),
            path: "application-panels",
            body: json!({ "name": "p" }),
            message: "100 application panels",
        },
        Full {
            count: 100_000,
            table: "application_submission",
            columns: "submission_id, panel_id, chat_id, answers, created_at",
            values: format!("i, 1, 5, '{{}}', {PAST}"),
            path: "application-submissions",
            body: json!({ "panel_id": 1, "chat_id": "5" }),
            message: "100000 application submissions",
        },
        Full {
            count: 1_000,
            table: "registered_game",
            columns: "universe_id, place_id, name, registered_at",
            values: format!("i, 1, 'g', {PAST}"),
            path: "/play/games/register",
            body: json!({ "universe_id": 900_001, "place_id": 1, "name": "g" }),
            message: "1000 registered games",
        },
    ]
}

async fn a_guild_with_as_many_rows_as_it_may_have_gets_no_more(deployment: &Deployment) {
    let of_guild = |path: &str| format!("/guilds/{}/{path}", deployment.guild().id);
    for full in staff(deployment).into_iter().chain(others(deployment)) {
        let Full { count, table, columns, values, path, body, message } = full;
        fill(deployment, count, table, columns, &values).await;
        let method = if path.ends_with("/999") { Method::PUT } else { Method::POST };
        let path = if path.starts_with('/') { path.to_owned() } else { of_guild(path) };
        refused(deployment, method, &path, body, message).await;
    }
    // A row that is there can be changed, and one that is deleted makes room.
    let (api, role) = (deployment.api(), json!({ "role_name": "r" }));
    api.send(Method::PUT, &of_guild("staff/roles/2"), Some(role.clone())).await.ok();
    api.delete(&of_guild("staff/roles/1")).await.ok();
    api.send(Method::PUT, &of_guild("staff/roles/999"), Some(role)).await.ok();
    let other = deployment.other_guild();
    let panels = format!("/guilds/{}/application-panels", other.id);
    api.key(&other.admin_key).post(&panels, json!({ "name": "p" })).await.ok();
}

/// However they would come.
async fn a_guild_with_a_million_links_gets_no_more(deployment: &Deployment) {
    const PART: u64 = 100_000;
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = |rest: &str| format!("/guilds/{}/{rest}", guild.id);
    deployment.simulator.join(guild, OUTSIDER).await;
    let begun = api.post(&path("link-attempts"), json!({ "chat_id": OUTSIDER })).await.ok();
    // In parts, so that no process waits long for the database.
    for part in 0..10 {
        let id = format!("5000000000 + {} + i", part * PART);
        let (columns, values) =
            ("chat_id, play_id, play_username, verified_at", format!("{id}, {id}, 'n', {PAST}"));
        let of_fixture = if part == 0 { guild.members.len() as u64 } else { 0 };
        fill(deployment, PART - of_fixture, "link", columns, &values).await;
    }
    let link = json!({ "play_id": 999, "play_username": "n" });
    refused(deployment, Method::PUT, &path("links/999"), link, "1000000 links").await;
    let lines = json!([{ "chat_id": "999", "play_id": 999, "play_username": "n" }]);
    refused(deployment, Method::POST, &path("links/import"), json!({ "lines": lines }), "1000000 links")
        .await;
    let mut typed = json!({ "code": begun["code"], "play_id": 999, "play_username": "n" });
    api.post("/links/confirm", typed.clone()).await.ok();
    typed["confirm"] = json!(true);
    refused(deployment, Method::POST, "/links/confirm", typed, "1000000 links").await;
    // One that is there can be changed.
    let other = json!({ "play_id": 999, "play_username": "n", "replace": true });
    let member = path(&format!("links/{}", guild.members[0].chat));
    assert_eq!(api.send(Method::PUT, &member, Some(other)).await.ok()["link"]["play_id"], 999);
}

async fn a_command_for_all_servers_needs_room_for_each(deployment: &Deployment) {
    game_servers(deployment, 2_000).await;
    let id = if deployment.mode() == Mode::Embedded { "randomblob(16)" } else { "gen_random_uuid()" };
    let columns = "command_id, server_id, kind, target_id, reason, issued_by, issued_at, state";
    let values = format!("{id}, 'full1', 'kick', '5', '', 1, {FUTURE}, 'queued'");
    fill(deployment, 8_000, "server_command", columns, &values).await;
    let (path, command) = (
        format!("/guilds/{}/servers/commands", deployment.guild().id),
        json!({ "type": "kick", "target_id": "5" }),
    );
    assert_eq!(deployment.api().post(&path, command.clone()).await.ok()["queued"], 2_000);
    refused(deployment, Method::POST, &path, command, "10000 pending commands").await;
}

async fn an_offline_server_makes_room_for_a_new_one(deployment: &Deployment) {
    let api = deployment.api();
    let heartbeat =
        |server: &str| json!({ "server_id": server, "place_id": 1, "universe_id": 2, "player_count": 3 });
    let path = "/play/servers/heartbeat";
    game_servers(deployment, 1_999).await;
    api.post(path, heartbeat("last")).await.ok();
    refused(deployment, Method::POST, path, heartbeat("new"), "2000 game servers").await;
    for known in ["last", "full7"] {
        api.post(path, heartbeat(known)).await.ok();
    }
    let (commands, kick) = ("/play/servers/full9/commands", json!({ "type": "kick", "target_id": "5" }));
    api.post(commands, kick).await.ok();
    assert_eq!(api.get(commands).await.ok()["commands"].as_array().unwrap().len(), 1);
    let silence = format!("UPDATE game_server SET last_heartbeat_at = {PAST} WHERE server_id = 'full9'");
    deployment.execute(&silence).await;
    api.post(path, heartbeat("new")).await.ok();
    assert_eq!(api.get(commands).await.ok()["commands"], json!([]), "they are gone with the server");
    refused(deployment, Method::POST, path, heartbeat("newer"), "2000 game servers").await;
}

async fn a_server_has_a_hundred_pending_commands_at_most(deployment: &Deployment) {
    let api = deployment.api();
    let server = json!({ "server_id": "s1", "place_id": 1, "universe_id": 2, "player_count": 3 });
    api.post("/play/servers/heartbeat", server).await.ok();
    let (path, command) = ("/play/servers/s1/commands", json!({ "type": "kick", "target_id": "5" }));
    let mut queued = Vec::new();
    for _ in 0..2 {
        let api = api.key(&deployment.new_key("moderation").await);
        for _ in 0..50 {
            queued.push(api.post(path, command.clone()).await.ok()["id"].as_str().unwrap().to_owned());
        }
    }
    refused(deployment, Method::POST, path, command.clone(), "100 pending commands for one server").await;
    api.post(&format!("{path}/{}/ack", queued[0]), json!({ "status": "ok" })).await.ok();
    api.post(path, command).await.ok();
}
