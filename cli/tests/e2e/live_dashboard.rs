//! `GET /ws/guilds/:guildId/live` (docs/rules.md 7 and 10): the live socket of dashboards.

use std::time::Duration;

use reqwest::redirect;
use serde_json::{Value, json};

use testkit::{Api, Deployment, Setup, both_modes};

use socket::{Socket, browser, connect, path};
use testkit::console::Console;

pub(crate) mod socket;

both_modes!(
    every_refusal_comes_before_the_upgrade,
    an_admin_gets_frames_of_every_kind,
    a_client_resumes_after_its_last_frame_or_is_told_to_read_anew,
    staff_get_the_frames_that_their_role_permits,
    a_session_that_is_ended_closes_its_sockets,
    a_right_that_is_lost_closes_its_sockets(own),
    an_access_token_opens_a_socket(|setup| super::with_application(setup)),
    a_stopping_process_closes_its_sockets(own),
    every_process_tells_what_another_one_did(|setup| setup.processes(2)),
);

const APPLICATION: (&str, &str) = ("guildhall-demo", "guildhall-demo-secret");

fn with_application(setup: Setup) -> Setup {
    let (id, secret) = APPLICATION;
    setup.env("GUILDHALL_CHAT_CLIENT_ID", id).env("GUILDHALL_CHAT_CLIENT_SECRET", secret)
}

async fn ban(deployment: &Deployment, identifier: &str) {
    let guild = deployment.guild();
    let body = json!({ "identifier": identifier, "reason": "spam", "moderator_id": guild.members[0].chat });
    deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
}

async fn heartbeat(api: &Api, players: u32) {
    let body = json!({ "server_id": "s1", "place_id": 71, "universe_id": 72, "player_count": players });
    api.post("/play/servers/heartbeat", body).await.ok();
}

async fn every_refusal_comes_before_the_upgrade(deployment: &Deployment) {
    let (guild, other) = (&deployment.guild().id, &deployment.other_guild().id);
    let (owner, path) = (Console::owner(deployment).await, path(guild, ""));
    let (base, own) = (owner.base(), browser(&owner));
    let refusal = async |path: &str, headers: &[(&'static str, String)]| {
        let (status, body) = connect(base, path, headers).await.err().unwrap();
        assert_eq!((&body["status"], &body["code"]), (&json!("error"), &json!(status)), "{body}");
        (status, body["error"].as_str().unwrap().to_owned())
    };
    let refused = |status: u16, word: &str| (status, word.to_owned());
    assert_eq!(refusal(&path, &[]).await, refused(401, "not_signed_in"));
    let foreign = [own[0].clone(), ("origin", "https://elsewhere.example".to_owned())];
    assert_eq!(refusal(&path, &foreign).await, refused(403, "other_origin"));
    for unknown in [other.as_str(), "1", "x"] {
        let path = format!("/ws/guilds/{unknown}/live");
        assert_eq!(refusal(&path, &own).await, refused(404, "not_found"), "{unknown}");
    }
    // Neither staff nor admin.
    let nobody = Console::of(deployment, deployment.guild(), &deployment.guild().members[9].chat).await;
    assert_eq!(refusal(&path, &browser(&nobody)).await, refused(404, "not_found"));
    // A guild's key opens no dashboard.
    let key = ("authorization", format!("Bearer {}", deployment.guild().admin_key));
    let address = ("x-forwarded-for", "10.199.0.1".to_owned());
    assert_eq!(refusal(&path, &[key, address]).await, refused(401, "token_refused"));
    let api = deployment.api();
    api.get(&path).await.refused(426, &["WebSocket"]);
    api.post(&path, json!({})).await.refused(405, &["GET"]);
}

async fn an_admin_gets_frames_of_every_kind(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let owner = Console::owner(deployment).await;
    let mut socket = Socket::of(deployment, &owner).await;
    assert_eq!(socket.hello["data"], json!({ "resumed": false }));

    ban(deployment, "8001").await;
    let [frame, entry] = socket.of_each("moderation.ban", "audit.entry").await;
    assert_eq!((&frame["data"]["identifier"], &frame["data"]["reason"]), (&json!("8001"), &json!("spam")));
    assert!(entry["data"]["action"].as_str().unwrap().contains("ban"), "{entry}");

    heartbeat(&api, 3).await;
    let online = socket.of_type("server.online").await;
    assert_eq!((&online["data"]["server_id"], &online["data"]["player_count"]), (&json!("s1"), &json!(3)));
    heartbeat(&api, 4).await;
    assert_eq!(socket.of_type("server.changed").await["data"]["player_count"], 4);

    let command = json!({ "type": "kick", "target_id": "9", "reason": "spam" });
    let id = api.post("/play/servers/s1/commands", command).await.ok()["id"].clone();
    let queued = socket.of_type("command.queued").await;
    assert_eq!(queued["data"]["commands"], json!([{ "id": id, "server_id": "s1" }]), "{queued}");
    let ack = format!("/play/servers/s1/commands/{}/ack", id.as_str().unwrap());
    api.post(&ack, json!({ "status": "ok" })).await.ok();
    assert_eq!(socket.of_type("command.ended").await["data"], json!({ "server_id": "s1" }));

    let place = json!({ "play_id": guild.members[1].play, "place_id": 77, "server_id": "s1" });
    let session = api.post("/staff/play/session/start", place).await.ok()["session_id"].clone();
    let on_duty = socket.of_type("staff.on_duty").await;
    assert_eq!(
        (&on_duty["data"]["staff_id"], &on_duty["data"]["session_id"]),
        (&json!(guild.members[1].chat), &session)
    );
    api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    assert_eq!(socket.of_type("staff.off_duty").await["data"]["session_id"], session);

    let body = json!({ "guild_id": guild.id });
    let job = api.post("/interactions/sync/all", body).await.ok()["job_id"].clone();
    let ended = socket.of_type("job.ended").await;
    assert_eq!((&ended["data"]["id"], &ended["data"]["state"]), (&job, &json!("succeeded")));
    assert_eq!(ended["data"]["progress"]["done"], 30, "{ended}");
}

async fn a_client_resumes_after_its_last_frame_or_is_told_to_read_anew(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, &deployment.guild().id);
    let mut socket = Socket::of(deployment, &owner).await;
    for identifier in ["8001", "8002", "8003"] {
        ban(deployment, identifier).await;
    }
    let first = socket.of_type("moderation.ban").await;
    let second = socket.of_type("moderation.ban").await;
    drop(socket);
    ban(deployment, "8004").await;
    let id = first["id"].as_str().unwrap();
    let mut socket = Socket::open(owner.base(), &path(guild, id), &browser(&owner)).await;
    assert_eq!((&socket.hello["data"]["resumed"], &socket.hello["id"]), (&json!(true), &first["id"]));
    assert_eq!(socket.of_type("moderation.ban").await, second);
    for identifier in ["8003", "8004"] {
        assert_eq!(socket.of_type("moderation.ban").await["data"]["identifier"], identifier);
    }
    for unknown in ["x", "00000000-1", "%20"] {
        let mut socket = Socket::open(owner.base(), &path(guild, unknown), &browser(&owner)).await;
        assert_eq!(socket.hello["data"]["resumed"], false);
        let resync = socket.frame().await;
        assert_eq!((&resync["type"], &resync["id"]), (&json!("resync"), &socket.hello["id"]));
    }
}

async fn staff_get_the_frames_that_their_role_permits(deployment: &Deployment) {
    let guild = deployment.guild();
    // A Moderator: may read moderation, not the audit log, and starts no syncs.
    let moderator = Console::of(deployment, guild, &guild.members[1].chat).await;
    let mut socket = Socket::of(deployment, &moderator).await;
    let mut admins = Socket::of(deployment, &Console::owner(deployment).await).await;
    deployment.api().post("/interactions/sync/all", json!({ "guild_id": guild.id })).await.ok();
    admins.of_type("job.ended").await;
    ban(deployment, "8001").await;
    let mut kinds = Vec::new();
    loop {
        let frame = socket.frame().await;
        kinds.push(frame["type"].as_str().unwrap().to_owned());
        if frame["type"] == "moderation.ban" {
            break;
        }
    }
    assert!(kinds.iter().all(|kind| !kind.starts_with("job.") && !kind.starts_with("audit.")), "{kinds:?}");
}

async fn a_session_that_is_ended_closes_its_sockets(deployment: &Deployment) {
    let guild = deployment.guild();
    let owner = Console::owner(deployment).await;
    let other = Console::owner(deployment).await;
    let mut socket = Socket::of(deployment, &owner).await;
    let mut stays = Socket::of(deployment, &other).await;
    assert_eq!(owner.post("/console/sign-out", &[]).await.status, 303);
    assert_eq!(socket.close_code().await, 1008);
    ban(deployment, "8001").await;
    stays.of_type("moderation.ban").await;
    let refused = connect(owner.base(), &path(&guild.id, ""), &[]).await.err().unwrap();
    assert_eq!(refused.0, 401);
}

async fn a_right_that_is_lost_closes_its_sockets(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = &guild.members[1].chat;
    let moderator = Console::of(deployment, guild, member).await;
    let mut socket = Socket::of(deployment, &moderator).await;
    let url = format!("/guilds/{}/staff/members/{member}", guild.id);
    deployment.api().delete(&url).await.ok();
    assert_eq!(socket.of_type("staff.changed").await["data"], json!({}));
    assert_eq!(socket.close_code().await, 1008);
    let refused = connect(moderator.base(), &path(&guild.id, ""), &browser(&moderator)).await.err().unwrap();
    assert_eq!(refused.0, 404);
}

/// An access token that this person gives to another dashboard.
async fn access_token(deployment: &Deployment, user: &str) -> String {
    let http = testkit::http_builder().redirect(redirect::Policy::none()).build().unwrap();
    let (platform, back) = (&deployment.simulator.base, "http://127.0.0.1:1/back");
    let (id, secret) = APPLICATION;
    let url = format!(
        "{platform}/oauth2/authorize?response_type=code&client_id={id}&scope=identify&redirect_uri={back}"
    );
    let form = |request: reqwest::RequestBuilder, body: String| {
        request.header("content-type", "application/x-www-form-urlencoded").body(body).send()
    };
    let answer = form(http.post(url), format!("user_id={user}&decision=authorize")).await.unwrap();
    let location = answer.headers()["location"].to_str().unwrap().to_owned();
    let code = location.split_once("code=").unwrap().1;
    let body = format!("grant_type=authorization_code&code={code}&redirect_uri={back}");
    let request = http.post(format!("{platform}/api/oauth2/token")).basic_auth(id, Some(secret));
    let answer: Value = form(request, body).await.unwrap().json().await.unwrap();
    answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn an_access_token_opens_a_socket(deployment: &Deployment) {
    let guild = deployment.guild();
    let bearer = |token: &str| [("authorization", format!("Bearer {token}"))];
    let token = access_token(deployment, &guild.members[1].chat).await;
    let (base, path) = (deployment.api_base(0), path(&guild.id, ""));
    let mut socket = Socket::open(&base, &path, &bearer(&token)).await;
    ban(deployment, "8001").await;
    socket.of_type("moderation.ban").await;
    // Tokens of a person without rights in this guild, and of staff elsewhere.
    let stranger = access_token(deployment, &guild.members[9].chat).await;
    assert_eq!(connect(&base, &path, &bearer(&stranger)).await.err().unwrap().0, 404);
    let elsewhere = format!("/ws/guilds/{}/live", deployment.other_guild().id);
    assert_eq!(connect(&base, &elsewhere, &bearer(&token)).await.err().unwrap().0, 404);
    // The 31st failure of an address is 429, for a valid token too: the platform is not asked.
    for n in 0..30 {
        let (status, body) = connect(&base, &path, &bearer(&format!("unknown{n}"))).await.err().unwrap();
        assert_eq!((status, &body["error"]), (401, &json!("token_refused")), "{n}: {body}");
    }
    connect(&base, &path, &bearer("unknown")).await.err().unwrap();
    let (status, body) = connect(&base, &path, &bearer(&token)).await.err().unwrap();
    assert_eq!((status, &body["error"]), (429, &json!("too_many_failures")), "{body}");
    // Open sockets stay.
    ban(deployment, "8002").await;
    socket.of_type("moderation.ban").await;
}

async fn a_stopping_process_closes_its_sockets(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let mut socket = Socket::of(deployment, &owner).await;
    let mut api = deployment.roles().apis.remove(0);
    api.process.terminate();
    assert_eq!(socket.close_code().await, 1001);
    assert!(api.process.ended(Duration::from_secs(10)).await.success(), "{}", api.process.log());
}

async fn every_process_tells_what_another_one_did(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let last = deployment.roles().apis.len() - 1;
    let base = deployment.api_base(last);
    let mut headers = browser(&owner);
    headers[1].1.clone_from(&base);
    let mut socket = Socket::open(&base, &path(&deployment.guild().id, ""), &headers).await;
    ban(deployment, "8001").await;
    let [ban, _] = socket.of_each("moderation.ban", "audit.entry").await;
    assert_eq!(ban["data"]["identifier"], "8001");
    // Ids of one process are unknown to another.
    let id = socket.hello["id"].as_str().unwrap().to_owned();
    let mut elsewhere =
        Socket::open(owner.base(), &path(&deployment.guild().id, &id), &browser(&owner)).await;
    if last > 0 {
        assert_eq!(elsewhere.frame().await["type"], "resync");
    }
}
