//! `GET /ws/guilds/:guildId/play` (docs/rules.md 7).

use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use testkit::{Api, Deployment, both_modes, distributed_only, eventually};

both_modes!(
    invalid_requests_are_refused_before_the_upgrade,
    a_key_may_connect_ten_times_a_minute,
    a_hundred_servers_of_a_key_with_a_factor_connect_at_once,
    pending_commands_are_sent_before_new_ones,
    bans_and_mutes_are_sent_to_the_sockets_of_their_place,
    a_ban_of_the_place_is_sent_again_after_a_wider_one_ends,
    a_revoked_key_closes_its_sockets,
    an_expired_key_closes_its_sockets,
    a_replaced_key_closes_its_sockets,
    a_stopping_process_closes_its_sockets(own),
    pings_and_close_frames_are_answered,
);

mod shared;

const WAIT_LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

fn path(deployment: &Deployment) -> String {
    format!("/ws/guilds/{}/play?placeId=71&serverId=s1&universeId=72", deployment.guild().id)
}

impl Socket {
    pub(crate) async fn open(deployment: &Deployment, api: usize, key: &str) -> Self {
        let base = deployment.api_base(api).replace("http://", "ws://");
        let mut request = format!("{base}{}", path(deployment)).into_client_request().unwrap();
        request.headers_mut().insert("x-api-key", key.parse().unwrap());
        let (socket, response) = connect_async(request).await.unwrap();
        for name in ["x-request-id", "x-ratelimit-remaining"] {
            assert!(response.headers().contains_key(name), "{response:?}");
        }
        Self(socket)
    }

    async fn next(&mut self) -> Message {
        self.next_within(WAIT_LIMIT).await
    }

    async fn next_within(&mut self, patience: Duration) -> Message {
        let next = tokio::time::timeout(patience, self.0.next()).await;
        next.expect("something arrives").expect("the socket is open").unwrap()
    }

    /// The next text, which must be an object of `type` and `data`.
    pub(crate) async fn frame(&mut self) -> Value {
        let message = self.next().await;
        let frame: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        assert!(frame["type"].is_string() && frame["data"].is_object(), "{frame}");
        assert_eq!(frame.as_object().unwrap().len(), 2, "{frame}");
        frame
    }

    async fn close_code(&mut self) -> u16 {
        loop {
            if let Message::Close(frame) = self.next().await {
                return frame.expect("a close frame says why").code.into();
            }
        }
    }
}

async fn heartbeat(api: &Api, server: &str) {
    let body = json!({ "server_id": server, "place_id": 71, "universe_id": 72, "player_count": 1 });
    api.post("/play/servers/heartbeat", body).await.ok();
}

async fn queue(api: &Api, server: &str, target: &str) -> Value {
    let body = json!({ "type": "kick", "target_id": target, "reason": "spam" });
    api.post(&format!("/play/servers/{server}/commands"), body).await.ok()["id"].clone()
}

async fn moderate(api: &Api, deployment: &Deployment, verb: &str, mut body: Value) {
    body["moderator_id"] = json!(deployment.guild().members[0].chat);
    api.post(&format!("/moderation/{}/play/{verb}", deployment.guild().id), body).await.ok();
}

/// With the headers of an upgrade to a WebSocket.
fn upgrading(api: &Api) -> Api {
    api.header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
}

async fn invalid_requests_are_refused_before_the_upgrade(deployment: &Deployment) {
    let (api, path) = (deployment.api(), path(deployment));
    let answer = api.get(&path).await.refused(426, &["WebSocket"]);
    assert_eq!((answer.header("upgrade"), answer.error()), (Some("websocket"), "upgrade_required"));
    upgrading(&api).header("sec-websocket-version", "8").get(&path).await.refused(426, &[]);
    let api = upgrading(&api);
    api.without("x-api-key").get(&path).await.refused(401, &[]);
    api.key("nonsense").get(&path).await.refused(401, &[]);
    api.key(&deployment.other_guild().game_key).get(&path).await.refused(403, &[]);
    api.key(&deployment.new_key("read").await).get(&path).await.refused(403, &["play"]);
    api.post(&path, json!({})).await.refused(405, &["GET"]);
    for (name, bad) in [("placeId", "x"), ("placeId", "00"), ("serverId", "%20"), ("universeId", "-1")] {
        let pairs = [("placeId", "71"), ("serverId", "s1"), ("universeId", "72")];
        let query = pairs.map(|(key, value)| format!("{key}={}", if key == name { bad } else { value }));
        let path = format!("/ws/guilds/{}/play?{}", deployment.guild().id, query.join("&"));
        api.get(&path).await.refused(400, &[name]);
    }
    // Other paths ignore the headers.
    api.get("/bindings/list").await.ok();
    api.get("/ws/guilds/1/play").await.refused(403, &[]);
    api.get("/ws").await.refused(404, &[]);
}

async fn a_key_may_connect_ten_times_a_minute(deployment: &Deployment) {
    let key = deployment.new_key("play").await;
    let mut sockets = Vec::new();
    for _ in 0..10 {
        sockets.push(Socket::open(deployment, 0, &key).await);
    }
    let answer = upgrading(&deployment.api().key(&key)).get(&path(deployment)).await.refused(429, &[]);
    assert_eq!(answer.number("x-ratelimit-limit"), 10);
    // Open sockets stay, and another key has a limit of its own.
    Socket::open(deployment, 0, &deployment.guild().game_key).await;
    heartbeat(&deployment.api(), "s1").await;
    queue(&deployment.api(), "s1", "9").await;
    for socket in &mut sockets {
        assert_eq!(socket.frame().await["type"], "command");
    }
}

async fn a_hundred_servers_of_a_key_with_a_factor_connect_at_once(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let factor = ["--hot-path-factor", "10"];
    let args = ["keys", "create", "--guild", &guild.id, "--name", "n", "--owner", "1"];
    let key = deployment.command(&[args.as_slice(), &factor].concat()).await.succeeded();
    let key = key.trim();
    let opening = (0..100).map(|_| Socket::open(deployment, 0, key));
    let mut sockets = futures_util::future::join_all(opening).await;
    let refused = upgrading(&api.key(key)).get(&path(deployment)).await.refused(429, &[]);
    assert_eq!(refused.number("x-ratelimit-limit"), 100);
    moderate(&api, deployment, "ban", json!({ "identifier": "8001", "reason": "spam" })).await;
    for socket in &mut sockets {
        assert_eq!(socket.frame().await["data"]["identifier"], "8001");
    }
}

async fn pending_commands_are_sent_before_new_ones(deployment: &Deployment) {
    let (api, key) = (deployment.api(), &deployment.guild().game_key);
    heartbeat(&api, "s1").await;
    heartbeat(&api, "s2").await;
    let (first, second) = (queue(&api, "s1", "1").await, queue(&api, "s1", "2").await);
    queue(&api, "s2", "3").await;
    let mut socket = Socket::open(deployment, 0, key).await;
    let frame = socket.frame().await;
    assert_eq!((&frame["type"], &frame["data"]["id"]), (&json!("command"), &first));
    let data = &frame["data"];
    assert_eq!((&data["type"], &data["target_id"]), (&json!("kick"), &json!("1")));
    assert_eq!((&data["reason"], data["issued_at"].is_string()), (&json!("spam"), true));
    assert_eq!(socket.frame().await["data"]["id"], second);
    // A socket gets the commands of its own server only.
    queue(&api, "s2", "4").await;
    let live = queue(&api, "s1", "5").await;
    assert_eq!(socket.frame().await["data"]["id"], live);
    let body = json!({ "type": "announce", "target_id": "all" });
    api.post(&format!("/guilds/{}/servers/commands", deployment.guild().id), body).await.ok();
    assert_eq!(socket.frame().await["data"]["type"], "announce");
    // A frame is not an acknowledgement, so a poll still returns the commands.
    let polled = api.get("/play/servers/s1/commands").await.ok()["commands"].clone();
    assert_eq!(polled.as_array().unwrap().len(), 4);
    for command in [&first, &second, &live] {
        let path = format!("/play/servers/s1/commands/{}/ack", command.as_str().unwrap());
        api.post(&path, json!({ "status": "ok" })).await.ok();
    }
    let mut later = Socket::open(deployment, 0, key).await;
    assert_eq!(later.frame().await["data"]["type"], "announce");
}

async fn bans_and_mutes_are_sent_to_the_sockets_of_their_place(deployment: &Deployment) {
    let (api, key) = (deployment.api(), &deployment.guild().game_key);
    let mut socket = Socket::open(deployment, 0, key).await;
    let player = deployment.guild().members[9].play.to_string();
    moderate(&api, deployment, "ban", json!({ "identifier": player, "reason": "spam" })).await;
    let frame = socket.frame().await;
    assert_eq!(frame["type"], "moderation.ban");
    assert_eq!((&frame["data"]["identifier"], &frame["data"]["reason"]), (&json!(player), &json!("spam")));
    // A ban of another place is not sent.
    let there = json!({ "identifier": "8001", "reason": "there", "place_id": 70 });
    moderate(&api, deployment, "ban", there).await;
    moderate(&api, deployment, "ban", json!({ "identifier": "8002", "reason": "here", "place_id": 71 }))
        .await;
    assert_eq!(socket.frame().await["data"]["identifier"], "8002");
    moderate(&api, deployment, "unban", json!({ "identifier": player })).await;
    let frame = socket.frame().await;
    assert_eq!((&frame["type"], &frame["data"]["identifier"]), (&json!("moderation.unban"), &json!(player)));
    let mute = json!({ "identifier": "8003", "reason": "caps", "duration_seconds": 600 });
    moderate(&api, deployment, "mute", mute).await;
    assert_eq!(socket.frame().await["type"], "moderation.mute");
    moderate(&api, deployment, "unmute", json!({ "identifier": "8003" })).await;
    assert_eq!(socket.frame().await["type"], "moderation.unmute");
    // A ban of another guild is not sent.
    let other = deployment.other_guild();
    let body = json!({ "identifier": "5", "reason": "r", "moderator_id": other.members[0].chat });
    api.key(&other.admin_key).post(&format!("/moderation/{}/play/ban", other.id), body).await.ok();
    moderate(&api, deployment, "ban", json!({ "identifier": "8004", "reason": "last" })).await;
    assert_eq!(socket.frame().await["data"]["identifier"], "8004");
}

/// For servers that keep bans by `identifier` alone: the ban of the place is sent again after the end of the wider one.
async fn a_ban_of_the_place_is_sent_again_after_a_wider_one_ends(deployment: &Deployment) {
    let (api, key) = (deployment.api(), &deployment.guild().game_key);
    let mut socket = Socket::open(deployment, 0, key).await;
    moderate(&api, deployment, "ban", json!({ "identifier": "8001", "reason": "here", "place_id": 71 }))
        .await;
    let short = json!({ "identifier": "8001", "reason": "everywhere", "duration_seconds": 1 });
    moderate(&api, deployment, "ban", short).await;
    for reason in ["here", "everywhere"] {
        assert_eq!(socket.frame().await["data"]["reason"], reason);
    }
    let elsewhere = format!("/moderation/{}/ban-status/8001?place_id=72", deployment.guild().id);
    eventually("the wider ban ends", WAIT_LIMIT, async || {
        (api.get(&elsewhere).await.ok()["banned"] == false).then_some(())
    })
    .await;
    deployment.run_schedule("sanctions").await;
    let end = socket.frame().await;
    assert_eq!((&end["type"], &end["data"]["reason"]), (&json!("moderation.unban"), &json!("expired")));
    let holds = socket.frame().await;
    assert_eq!((&holds["type"], &holds["data"]["place_id"]), (&json!("moderation.ban"), &json!(71)));
    assert_eq!((&holds["data"]["identifier"], &holds["data"]["reason"]), (&json!("8001"), &json!("here")));
}

async fn a_revoked_key_closes_its_sockets(deployment: &Deployment) {
    let (revoked, stays) = (deployment.new_key("play").await, deployment.new_key("play").await);
    let mut gone = Socket::open(deployment, 0, &revoked).await;
    let mut other = Socket::open(deployment, 0, &stays).await;
    deployment.command(&["keys", "revoke", &revoked[3..11]]).await.succeeded();
    let asked = Instant::now();
    assert_eq!(gone.close_code().await, 1008);
    assert!(asked.elapsed() < Duration::from_millis(1_500), "{:?}", asked.elapsed());
    heartbeat(&deployment.api(), "s1").await;
    queue(&deployment.api(), "s1", "1").await;
    assert_eq!(other.frame().await["type"], "command");
    upgrading(&deployment.api().key(&revoked)).get(&path(deployment)).await.refused(401, &[]);
}

async fn an_expired_key_closes_its_sockets(deployment: &Deployment) {
    let key = deployment.key_that_ends_in("4s").await;
    let opened = Instant::now();
    let mut socket = Socket::open(deployment, 0, &key).await;
    assert_eq!(socket.close_code().await, 1008);
    assert!(opened.elapsed() < Duration::from_secs(6), "{:?}", opened.elapsed());
}

async fn a_replaced_key_closes_its_sockets(deployment: &Deployment) {
    let key = deployment.new_key("play").await;
    let mut socket = Socket::open(deployment, 0, &key).await;
    let rotate = ["keys", "rotate", &key[3..11], "--overlap", "2s"];
    let new = deployment.command(&rotate).await.succeeded().trim().to_owned();
    assert_eq!(socket.close_code().await, 1008);
    drop(Socket::open(deployment, 0, &new).await);
}

async fn a_stopping_process_closes_its_sockets(deployment: &Deployment) {
    let mut socket = Socket::open(deployment, 0, &deployment.guild().game_key).await;
    let mut api = deployment.roles().apis.remove(0);
    api.process.terminate();
    assert_eq!(socket.close_code().await, 1001);
    assert!(api.process.ended(Duration::from_secs(10)).await.success(), "{}", api.process.log());
}

async fn pings_and_close_frames_are_answered(deployment: &Deployment) {
    let mut socket = Socket::open(deployment, 0, &deployment.guild().game_key).await;
    socket.0.send(Message::Ping("are you there".into())).await.unwrap();
    assert_eq!(socket.next().await, Message::Pong("are you there".into()));
    // A client's text frames are ignored.
    socket.0.send(Message::text("hello")).await.unwrap();
    socket.0.send(Message::Close(None)).await.unwrap();
    assert!(matches!(socket.next().await, Message::Close(_)));
    let end = tokio::time::timeout(WAIT_LIMIT, socket.0.next()).await.expect("the connection ends");
    assert!(end.is_none(), "{end:?}");
}
