//! A running simulator with one guild of `members` members, and both clients of it.

use std::io::Write as _;

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use platforms::{CallContext, Platforms};
use runtime::{PlatformConfig, PlatformRate, Secret};
use serde_json::{Value, json};
use simulator::{Application, RateLimit, SimulatorOptions, SimulatorState, serve};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

pub(crate) const GUILD: i64 = 7_000_000_000_000_000_000;
pub(crate) const MEMBER_ROLE: i64 = GUILD + 1000;
pub(crate) const OFFICER_ROLE: i64 = GUILD + 1001;
pub(crate) const BOT_ROLE: i64 = GUILD + 2000;
pub(crate) const ADMIN_ROLE: i64 = GUILD + 3000;
pub(crate) const MANAGE_SERVER: u64 = 1 << 5;
pub(crate) const GROUP: i64 = 5000;

pub(crate) struct Peer {
    pub(crate) url: String,
    pub(crate) http: reqwest::Client,
    stop: DropGuard,
    served: Option<JoinHandle<std::io::Result<()>>>,
}

pub(crate) fn chat(n: i64) -> ChatId {
    ChatId::try_from(1_000_000_000_000_000_000 + n).unwrap()
}

pub(crate) fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

pub(crate) fn play(n: i64) -> PlayId {
    PlayId::try_from(10_000 + n).unwrap()
}

pub(crate) fn group() -> GroupId {
    GroupId::try_from(GROUP).unwrap()
}

pub(crate) fn guild() -> GuildId {
    GuildId::try_from(GUILD).unwrap()
}

pub(crate) fn now() -> CallContext {
    CallContext::interactive(guild())
}

pub(crate) fn bulk() -> CallContext {
    CallContext::bulk(guild())
}

fn fixture(members: i64) -> Value {
    let role = |id: i64, position: i64, managed: bool| {
        json!({ "id": id.to_string(), "name": format!("r{position}"), "color": 255, "position": position,
            "managed": managed, "bot": managed })
    };
    let mut admin = role(ADMIN_ROLE, 20, false);
    admin["permissions"] = json!(MANAGE_SERVER.to_string());
    let ids = 0..members;
    let chat_members = ids
        .clone()
        .map(|n| json!({ "chat_id": chat(n), "nick": format!("m{n}"), "roles": [MEMBER_ROLE.to_string()] }));
    json!({
        "chat": { "guilds": [{
            "guild_id": GUILD.to_string(), "name": "G", "bot_role_id": BOT_ROLE.to_string(),
            "members": chat_members.collect::<Vec<_>>(),
            "roles": [role(GUILD, 0, false), role(MEMBER_ROLE, 1, false), role(OFFICER_ROLE, 2, false),
                role(BOT_ROLE, 10, true), admin],
        }] },
        "play": {
            "groups": [{ "group_id": GROUP, "name": "G",
                "roles": (1..=25).map(|n| json!({ "id": GROUP * 1000 + n, "name": format!("g{n}"), "rank": n * 10 }))
                    .collect::<Vec<_>>(),
                "members": ids.clone().map(|n| json!({ "play_id": play(n), "rank": 10 * (1 + n % 2) })).collect::<Vec<_>>(),
            }],
            "users": ids.map(|n| json!({ "play_id": play(n), "username": format!("p{n}") })).collect::<Vec<_>>(),
        },
    })
}

impl Peer {
    pub(crate) async fn start(members: i64, rate_limit: RateLimit) -> Self {
        Self::with(members, SimulatorOptions { rate_limit, ..SimulatorOptions::default() }).await
    }

    pub(crate) async fn with(members: i64, options: SimulatorOptions) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(fixture(members).to_string().as_bytes()).unwrap();
        let state = SimulatorState::load(file.path()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let served = Some(tokio::spawn(serve(listener, state, options, stop.clone())));
        // Installs the TLS provider that the client of the control calls needs.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            url,
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            stop: stop.drop_guard(),
            served,
        }
    }

    /// Stops it and waits for its end.
    pub(crate) async fn stop(&mut self) {
        let token = std::mem::replace(&mut self.stop, CancellationToken::new().drop_guard()).disarm();
        token.cancel();
        if let Some(served) = self.served.take() {
            served.await.unwrap().unwrap();
        }
    }

    /// Clients with this rate for the chat platform, and no limit for the game platform.
    pub(crate) fn platforms(&self, chat_rate: &str) -> Platforms {
        platforms_at(&self.url, chat_rate)
    }

    pub(crate) async fn stats(&self) -> Value {
        self.http.get(format!("{}/control/stats", self.url)).send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let response = self.http.post(format!("{}{path}", self.url)).json(&body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap_or(Value::Null))
    }

    pub(crate) async fn fault(&self, body: Value) {
        assert_eq!(self.post("/control/faults", body).await.0, 204);
    }

    pub(crate) async fn member(&self, n: i64) -> Value {
        let url = format!("{}/control/chat/guilds/{GUILD}/members/{}", self.url, chat(n));
        self.http.get(url).send().await.unwrap().json().await.unwrap()
    }
}

pub(crate) fn config(url: &str, chat_rate: &str) -> PlatformConfig {
    PlatformConfig {
        chat_api_url: Some(url.to_owned()),
        chat_token: Some(Secret::from("t")),
        chat_client_id: Some(Application::DEMO_ID.to_owned()),
        chat_client_secret: Some(Secret::from(Application::DEMO_SECRET)),
        chat_public_key: None,
        play_api_url: Some(url.to_owned()),
        play_key: Some(Secret::from("k")),
        play_client_id: Some(Application::PLAY_DEMO_ID.to_owned()),
        play_client_secret: Some(Secret::from(Application::PLAY_DEMO_SECRET)),
        play_webhook_secret: None,
        chat_rate: chat_rate.parse().unwrap(),
        play_rate: PlatformRate::Off,
        webhook_networks: Vec::new(),
        follow_share: 0,
    }
}

pub(crate) fn platforms_at(url: &str, chat_rate: &str) -> Platforms {
    Platforms::new(&config(url, chat_rate), None).unwrap()
}
