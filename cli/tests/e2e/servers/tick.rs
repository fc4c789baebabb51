//! The tick of game servers, and the check of players who join.

use std::time::Instant;

use reqwest::Method;

use super::*;

both_modes!(
    a_tick_says_what_is_true_about_who_is_there,
    a_ban_of_the_chat_account_counts_in_the_game,
    players_who_join_are_checked_in_one_call,
    results_and_sessions_go_with_the_tick,
    a_server_that_closes_is_forgotten(own),
    a_held_tick_is_answered_when_something_concerns_its_server,
    first_ticks_are_counted_apart_and_others_come_back_in_turn,
    ticks_that_cannot_be_read_are_counted,
);

in_turn!(ticks_are_checked);

pub(super) const TICK: &str = "/play/servers/tick";
/// Far less than ticks are held in these tests.
pub(super) const SOON: Duration = Duration::from_secs(10);

pub(super) fn body(server: &str, sequence: i64, more: Value) -> Value {
    let mut body = json!({ "server_id": server, "place_id": 71, "universe_id": 72, "sequence": sequence });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

pub(super) async fn tick(api: &Api, server: &str, sequence: i64, more: Value) -> Value {
    api.post(TICK, body(server, sequence, more)).await.ok()
}

async fn sanction(deployment: &Deployment, what: &str, play: i64, more: Value) -> Value {
    let mut body = json!({ "identifier": play.to_string(), "reason": format!("{what} it"),
        "moderator_id": deployment.guild().members[0].chat });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    deployment.api().post(&format!("/moderation/{}/play/{what}", deployment.guild().id), body).await.ok()
}

fn players(answer: &Value) -> Vec<i64> {
    answer["players"].as_array().unwrap().iter().map(|entry| entry["play_id"].as_i64().unwrap()).collect()
}

async fn flag(deployment: &Deployment, play: i64) {
    let (play, guild) = (play.to_string(), &deployment.guild().id);
    let by = &deployment.guild().members[0].chat;
    let flag = ["shield", "flag", &play, "--reason", "alts", "--by", by, "--guild", guild];
    deployment.command(&flag).await.succeeded();
    eventually("the flag is known", SOON, async || {
        let checked = deployment.api().get(&format!("/shield/check/{play}")).await.ok();
        (checked["flagged"] == true).then_some(())
    })
    .await;
}

async fn a_tick_says_what_is_true_about_who_is_there(deployment: &Deployment) {
    let (api, staff) = (deployment.api(), &deployment.guild().members[0]);
    let [banned, muted, clean, elsewhere, joined] = [501, 502, 503, 504, 505];
    sanction(deployment, "ban", banned, json!({ "kick": false })).await;
    sanction(deployment, "mute", muted, json!({ "duration_seconds": 600 })).await;
    sanction(deployment, "ban", elsewhere, json!({ "place_id": 5, "kick": false })).await;
    let present = json!([banned, muted, clean, elsewhere, staff.play, joined, -1]);
    let sent = json!({ "players": present, "joined": [joined, -2] });
    let answer = tick(&api, "s1", 1, sent.clone()).await;
    assert_eq!(players(&answer), [joined, banned, muted, staff.play], "{answer}");
    let [new, ban, mute, member] = [0, 1, 2, 3].map(|n| &answer["players"][n]);
    assert_eq!(new, &json!({ "play_id": joined, "ban": null, "mute": null, "flag": null, "staff": null }));
    assert_eq!((&ban["ban"]["reason"], &ban["mute"]), (&json!("ban it"), &Value::Null));
    assert!(mute["mute"]["expires_at"].is_string() && mute["ban"].is_null(), "{mute}");
    assert_eq!(member["staff"]["chat_id"], staff.chat);
    assert!(member["staff"]["permissions"].is_array() && member["staff"]["role_name"].is_string());
    assert_eq!(answer["guild_id"], deployment.guild().id);
    assert_eq!(
        (&answer["commands"], &answer["ended_sessions"], &answer["acknowledged"]),
        (&json!([]), &json!([]), &json!([]))
    );
    // A repeat says the same.
    let again = tick(&api, "s1", 1, sent).await;
    assert_eq!((&again["state"], &again["players"]), (&answer["state"], &answer["players"]));
    // Who was there and has left is not named, and what ended is not either.
    let body = json!({ "identifier": muted.to_string(), "moderator_id": staff.chat });
    api.post(&format!("/moderation/{}/play/unmute", deployment.guild().id), body).await.ok();
    let later = tick(&api, "s1", 2, json!({ "players": [muted, clean] })).await;
    assert!(players(&later).is_empty() && later["state"] != answer["state"], "{later}");
    let server = &list(&api, deployment, "").await[0];
    assert_eq!(
        (&server["server_id"], &server["place_id"], &server["live"]),
        (&json!("s1"), &json!(71), &json!(true))
    );
    assert_eq!(server["player_count"], 7, "a row is written once in 30 s");
}

async fn a_ban_of_the_chat_account_counts_in_the_game(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[7]);
    let players = json!({ "players": [member.play, 515] });
    assert_eq!(tick(&api, "s1", 1, players.clone()).await["players"], json!([]));
    let path = format!("/moderation/{}/play", deployment.guild().id);
    let body = json!({ "identifier": member.chat, "reason": "by chat", "moderator_id": "0" });
    for verb in ["mute", "ban"] {
        api.post(&format!("{path}/{verb}"), body.clone()).await.ok();
    }
    let entry = &tick(&api, "s1", 2, players).await["players"][0];
    assert_eq!(
        (&entry["ban"]["identifier"], &entry["mute"]["reason"]),
        (&json!(member.chat), &json!("by chat"))
    );
}

async fn players_who_join_are_checked_in_one_call(deployment: &Deployment) {
    let (api, staff) = (deployment.api(), &deployment.guild().members[0]);
    flag(deployment, 507).await;
    sanction(deployment, "ban", 508, json!({ "place_id": 5 })).await;
    let ids = json!([507, "508", 507, -3, staff.play]);
    let path = "/play/players/check";
    let answer = api.post(path, json!({ "play_ids": ids, "place_id": 6 })).await.ok();
    assert_eq!(players(&answer), [507, 508, staff.play]);
    assert_eq!(answer["players"][0]["flag"]["reason"], "alts");
    assert_eq!(answer["players"][1]["ban"], Value::Null, "of another place");
    assert_eq!(answer["players"][2]["staff"]["chat_id"], staff.chat);
    let answer = api.post(path, json!({ "play_ids": ids })).await.ok();
    assert_eq!(answer["players"][1]["ban"]["place_id"], 5);
    api.post(path, json!({ "play_ids": vec![1; 201] })).await.refused(400, &["play_ids", "200"]);
    api.post(path, json!({ "play_ids": [1, 0] })).await.refused(400, &["play_ids[1]"]);
    api.post(path, json!({})).await.refused(400, &["play_ids"]);
    let reader = api.key(&deployment.new_key("read").await);
    reader.post(path, json!({ "play_ids": [1] })).await.refused(403, &["play"]);
}

async fn results_and_sessions_go_with_the_tick(deployment: &Deployment) {
    let (api, staff) = (deployment.api(), &deployment.guild().members[0]);
    tick(&api, "s1", 1, json!({ "player_count": 3 })).await;
    let first = queue(&api, "s1", "1").await;
    let second = queue(&api, "s1", "2").await;
    let start = json!({ "play_id": staff.play, "place_id": 71, "server_id": "s1" });
    let session = api.post("/staff/play/session/start", start).await.ok()["session_id"].clone();
    let answer = tick(&api, "s1", 2, json!({ "sessions": [session] })).await;
    assert_eq!(ids(answer["commands"].as_array().unwrap()), [first.clone(), second.clone()]);
    assert_eq!(answer["ended_sessions"], json!([]));
    let unknown = "00000000-0000-7000-8000-000000000000";
    let results = json!([{ "command_id": first, "status": "ok" }, { "command_id": unknown, "status": "ok" },
        { "command_id": second, "status": "error", "message": "no such player" }]);
    for _ in 0..2 {
        let answer = tick(&api, "s1", 3, json!({ "results": results })).await;
        assert_eq!(answer["acknowledged"], json!([first, unknown, second]));
        assert_eq!(answer["commands"], json!([]));
    }
    assert!(poll(&api, "s1").await.is_empty());
    let entries = deployment.audit("commands.acknowledge").await;
    assert_eq!((entries.len(), &entries[0]["metadata"]["message"]), (2, &json!("no such player")));
    // Those of another server are not its own.
    tick(&api, "s2", 1, json!({})).await;
    let third = queue(&api, "s1", "3").await;
    tick(&api, "s2", 2, json!({ "results": [{ "command_id": third, "status": "ok" }] })).await;
    assert_eq!(ids(&poll(&api, "s1").await), [third.as_str()]);
    api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    let other = "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e";
    let answer = tick(&api, "s1", 4, json!({ "sessions": [session, other, "no id"] })).await;
    assert_eq!(answer["ended_sessions"], json!([session, other, "no id"]));
}

async fn a_server_that_closes_is_forgotten(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    for server in ["s1", "s2"] {
        tick(&api, server, 1, json!({ "player_count": 3 })).await;
    }
    queue(&api, "s1", "1").await;
    let answer = tick(&api, "s1", 2, json!({ "closing": true })).await;
    assert_eq!((&answer["commands"], &answer["next_in_seconds"]), (&json!([]), &json!(0.0)));
    let servers = list(&api, deployment, "").await;
    assert_eq!((servers.len(), &servers[0]["server_id"]), (1, &json!("s2")));
    assert!(poll(&api, "s1").await.is_empty());
    let body = json!({ "type": "announce", "target_id": "all" });
    let queued = api.post(&format!("/guilds/{}/servers/commands", guild.id), body).await.ok();
    assert_eq!(queued["queued"], 1);
    // Twice is no error, and a server that comes back is known again.
    tick(&api, "s1", 2, json!({ "closing": true })).await;
    tick(&api, "s1", 3, json!({})).await;
    assert_eq!(list(&api, deployment, "").await.len(), 2);
}

/// A tick that is held for 20 s unless something happens; it is held when `begun` returns.
pub(super) async fn held(api: &Api, server: &str, more: Value) -> (tokio::task::JoinHandle<Value>, Instant) {
    let state = tick(api, server, 2, more.clone()).await["state"].clone();
    let (api, server) = (api.clone(), server.to_owned());
    let mut sent = more;
    (sent["since"], sent["wait_seconds"]) = (state, json!(20));
    let began = Instant::now();
    (tokio::spawn(async move { tick(&api, &server, 3, sent).await }), began)
}

async fn a_held_tick_is_answered_when_something_concerns_its_server(deployment: &Deployment) {
    let api = deployment.api();
    tick(&api, "s1", 1, json!({})).await;
    let (answer, began) = held(&api, "s1", json!({ "players": [511, 512] })).await;
    sanction(deployment, "mute", 513, json!({})).await;
    sanction(deployment, "mute", 512, json!({})).await;
    assert_eq!(players(&answer.await.unwrap()), [512]);
    let (answer, _) = held(&api, "s1", json!({ "players": [511, 512] })).await;
    let id = queue(&api, "s1", "511").await;
    assert_eq!(ids(answer.await.unwrap()["commands"].as_array().unwrap()), [id]);
    assert!(began.elapsed() < SOON, "they were held in spite of changes: {:?}", began.elapsed());
    // A mute that ends, a newer tick, and a check of somebody who joins.
    let until = json!({ "duration_seconds": 2 });
    sanction(deployment, "mute", 511, until).await;
    let (answer, _) = held(&api, "s1", json!({ "players": [511] })).await;
    assert!(players(&answer.await.unwrap()).is_empty());
    let (answer, _) = held(&api, "s1", json!({})).await;
    // Until the held one has arrived.
    while !answer.is_finished() {
        tick(&api, "s1", 9, json!({ "closing": true })).await;
    }
    tick(&api, "s1", 1, json!({})).await;
    let (answer, _) = held(&api, "s1", json!({})).await;
    while !answer.is_finished() {
        let check = json!({ "play_ids": [5] });
        api.header("x-server-id", "s1").post("/play/players/check", check).await.ok();
    }
    // Another state than the server knows, and players who joined, are told at once.
    for more in [json!({ "since": "other", "players": [512] }), json!({ "joined": [514] })] {
        let state = tick(&api, "s1", 4, more.clone()).await["state"].clone();
        let mut sent = more;
        sent["wait_seconds"] = json!(20);
        sent["since"] = sent.get("since").cloned().unwrap_or(state);
        tick(&api, "s1", 5, sent).await;
    }
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

async fn first_ticks_are_counted_apart_and_others_come_back_in_turn(deployment: &Deployment) {
    let api = deployment.api().key(&deployment.new_key("play").await);
    let mut next = Vec::new();
    for n in 0..30 {
        let answer = api.post(TICK, body(&format!("s{n}"), 1, json!({}))).await;
        assert_eq!(
            (answer.header("x-ratelimit-bucket"), answer.number("x-ratelimit-limit")),
            (Some("server_tick_first"), 300)
        );
        next.push(answer.ok()["next_in_seconds"].as_f64().unwrap());
    }
    assert!(next.iter().all(|seconds| *seconds < 6.5), "{next:?}");
    assert!(next.windows(2).any(|pair| (pair[0] - pair[1]).abs() > 0.5), "they do not meet: {next:?}");
    let answer = api.post(TICK, body("s0", 2, json!({}))).await;
    assert_eq!(
        (answer.header("x-ratelimit-bucket"), answer.number("x-ratelimit-remaining")),
        (Some("server_tick"), 299)
    );
    // 30 servers of a key that has 300 calls a minute.
    let seconds = answer.ok()["next_in_seconds"].as_f64().unwrap();
    assert!((6.0..6.5).contains(&seconds), "{seconds}");
}

async fn ticks_that_cannot_be_read_are_counted(deployment: &Deployment) {
    let api = deployment.api().key(&deployment.new_key("play").await);
    let broken = async |path: &str, body: &str| {
        api.raw(Method::POST, path, Some(("application/json", body.as_bytes().to_vec()))).await
    };
    let (long, with_query) = ("x".repeat(300_000), format!("{TICK}?since=%ff"));
    let ticks = [(TICK, "{", 400), (TICK, long.as_str(), 413), (with_query.as_str(), "{}", 400)];
    for ((path, body, status), left) in ticks.into_iter().zip([299, 298, 297]) {
        let answer = broken(path, body).await.refused(status, &[]);
        assert_eq!(
            (answer.header("x-ratelimit-bucket"), answer.number("x-ratelimit-remaining")),
            (Some("server_tick"), left)
        );
    }
    for left in (0..297).rev() {
        assert_eq!(broken(TICK, "{").await.refused(400, &[]).number("x-ratelimit-remaining"), left);
    }
    broken(TICK, "{").await.refused(429, &[]);
}

async fn ticks_are_checked(deployment: &Deployment) {
    let api = deployment.api();
    let long: Vec<i64> = (1..1002).collect();
    let result = |command: Value, status: Value| json!([{ "command_id": command, "status": status }]);
    let command = json!("0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e");
    for (field, bad, named) in [
        ("server_id", json!(7), "server_id"),
        ("place_id", json!(-1), "place_id"),
        ("sequence", json!(0), "sequence"),
        ("sequence", json!(null), "sequence"),
        ("players", json!([1, "x"]), "players[1]"),
        ("players", json!(long), "players"),
        ("joined", json!(vec![5; 201]), "joined"),
        ("player_count", json!(-1), "player_count"),
        ("results", result(json!(5), json!("ok")), "results[0].command_id"),
        ("results", json!([{ "status": "ok" }]), "results[0].command_id` is missing"),
        ("results", result(command.clone(), json!("done")), "results[0].status"),
        ("results", json!([{ "command_id": command, "status": "ok", "message": 5 }]), "results[0].message"),
        ("results", json!(["x"]), "results[0]"),
        ("sessions", json!([5]), "sessions[0]"),
        ("since", json!(5), "since"),
        ("wait_seconds", json!(21), "wait_seconds"),
        ("closing", json!("yes"), "closing"),
    ] {
        let mut sent = body("s", 1, json!({}));
        sent[field] = bad;
        api.post(TICK, sent).await.refused(400, &[named]);
    }
    assert!(list(&api, deployment, "").await.is_empty());
    // Lua writes an empty array for an empty object, and numbers as floats.
    let lua = json!({ "players": [5.0], "results": [], "sessions": [], "player_count": 1.0 });
    tick(&api, "s", 1, lua).await;
    let reader = api.key(&deployment.new_key("read").await);
    reader.post(TICK, body("s", 1, json!({}))).await.refused(403, &["play"]);
}
