//! One simulator and one database, for one worker process after the other.

use std::net::SocketAddr;
use std::time::Duration;

use entities::binding::{self, Condition, Rule};
use entities::{ChannelId, ChatId, GroupId, GuildId, PlayId, RoleId, RoleList, guild, link};
use platforms::Platforms;
use queue::Queue;
use queue::run::Slots;
use runtime::{Config, Context, Database, DatabaseOptions, PlatformConfig, PlatformRate, Shutdown};
use serde_json::{Value, json};
use simulator::{RateLimit, SimulatorOptions, SimulatorState};
use testkit::{TestDatabase, eventually, guild_row};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::people::{self, GROUP, GUILD, Person, RANKS};
use crate::process::Process;

/// The longest wait of a test.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Of a process, to Postgres.
const CONNECTIONS: u32 = 2;

pub(crate) fn guild_id() -> GuildId {
    GuildId::try_from(GUILD).unwrap()
}

pub(crate) fn chat(id: i64) -> ChatId {
    ChatId::try_from(id).unwrap()
}

pub(crate) fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

pub(crate) struct Fixture {
    database: TestDatabase,
    pub(crate) simulator: SocketAddr,
    http: reqwest::Client,
    _serving: DropGuard,
}

impl Fixture {
    pub(crate) async fn new(people: &[Person]) -> Self {
        Self::slow(people, Duration::ZERO).await
    }

    /// With this latency of the simulator.
    pub(crate) async fn slow(people: &[Person], latency: Duration) -> Self {
        Self::on(TestDatabase::sqlite().await, people, latency).await
    }

    /// On Postgres, with [`CONNECTIONS`].
    pub(crate) async fn on_postgres(people: &[Person]) -> Self {
        Self::on(TestDatabase::postgres().await, people, Duration::ZERO).await
    }

    async fn on(database: TestDatabase, people: &[Person], latency: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state.json");
        std::fs::write(&state, people::platforms(people).to_string()).unwrap();
        let state = SimulatorState::load(&state).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let simulator = listener.local_addr().unwrap();
        let serving = CancellationToken::new();
        let options = SimulatorOptions { rate_limit: RateLimit::Off, latency, ..SimulatorOptions::default() };
        tokio::spawn(simulator::serve(listener, state, options, serving.clone()));
        // Installs the TLS provider that the client below needs.
        drop(platforms_at(simulator, Some("token")));
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let fixture = Self { database, simulator, http, _serving: serving.drop_guard() };
        fixture.seed(people).await;
        fixture
    }

    async fn seed(&self, people: &[Person]) {
        let context = self.context().await;
        let (conn, now) = (context.database.write(), context.clock.now());
        self.set_template(&context, "{play_username}").await;
        for (rank, role_id) in RANKS {
            bind(&context, rank, role_id).await;
        }
        let linked = people.iter().filter_map(|person| {
            Some(link::Model {
                guild_id: guild_id(),
                chat_id: chat(person.chat),
                play_id: PlayId::try_from(person.play).unwrap(),
                play_username: person.linked_as.clone()?,
                verified_at: now,
                source: link::Source::Import,
            })
        });
        link::upsert_many(conn, linked.collect()).await.unwrap();
        context.close().await;
    }

    pub(crate) async fn set_template(&self, context: &Context, template: &str) {
        let row = guild::Model {
            nickname_template: template.to_owned(),
            ..guild_row(guild_id(), context.clock.now())
        };
        guild::upsert(context.database.write(), row).await.unwrap();
    }

    /// Allows these privileged roles and no others.
    pub(crate) async fn allow(&self, context: &Context, roles: &[i64]) {
        let allowed = RoleList(roles.iter().copied().map(role).collect());
        let row =
            guild::Model { allowed_privileged_roles: allowed, ..guild_row(guild_id(), context.clock.now()) };
        guild::upsert(context.database.write(), row).await.unwrap();
    }

    pub(crate) async fn context(&self) -> Context {
        let url = self.database.url();
        let config = Config { database_url: url.into(), prefix: "test".to_owned(), broker: None };
        let mut context = Context::embedded(&config, Shutdown::new()).await.unwrap();
        if self.database.is_postgres() {
            let options = DatabaseOptions { max_connections: CONNECTIONS, ..DatabaseOptions::default() };
            context.database = Database::connect(url, &options).await.unwrap();
        }
        context
    }

    /// A worker process on this database.
    pub(crate) async fn process(&self) -> Process {
        self.process_with(platforms_at(self.simulator, Some("token"))).await
    }

    pub(crate) async fn process_with(&self, platforms: Platforms) -> Process {
        let context = self.context().await;
        let queue = Queue::embedded(&context);
        // An embedded process rescues the jobs of an earlier one at its start.
        queue.rescue_all().await.unwrap();
        worker::start(&queue, platforms, Some("https://guildhall.example.org".to_owned()), Slots::default());
        Process { context, queue }
    }

    async fn control(&self, path: &str, body: &Value) {
        let url = format!("http://{}/control/{path}", self.simulator);
        let answer = self.http.post(url).json(body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
    }

    pub(crate) async fn fault(&self, route: &str, status: u16, count: u64) {
        self.control("faults", &json!({ "route": route, "status": status, "count": count })).await;
    }

    pub(crate) async fn order(&self, fault: &Value) {
        self.control("faults", fault).await;
    }

    pub(crate) async fn clear_faults(&self) {
        let url = format!("http://{}/control/faults", self.simulator);
        assert!(self.http.delete(url).send().await.unwrap().status().is_success());
    }

    /// A call to the chat platform by another client, below the guild.
    pub(crate) async fn by_hand(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let url = format!("http://{}/api/v10/guilds/{GUILD}/{path}", self.simulator);
        let request = self.http.request(method.parse().unwrap(), url).header("authorization", "Bot token");
        let request = request.header("x-audit-log-reason", "by%20hand");
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// The guild's channels on the chat platform, without the one that it had at the start.
    pub(crate) async fn channels(&self) -> Value {
        let (_, mut channels) = self.by_hand("GET", "channels", Value::Null).await;
        channels.as_array_mut().unwrap().retain(|channel| channel["name"] != "general");
        channels
    }

    /// Creates a category with these overwrites (role, allow, deny) and returns its id.
    pub(crate) async fn make_category(&self, roles: &[(i64, u64, u64)]) -> String {
        let one = |(id, allow, deny): &(i64, u64, u64)| json!({ "id": id.to_string(), "type": 0, "allow": allow.to_string(), "deny": deny.to_string() });
        let overwrites: Vec<Value> = roles.iter().map(one).collect();
        let body = json!({ "name": "Tickets", "type": 4, "permission_overwrites": overwrites });
        let (status, made) = self.by_hand("POST", "channels", body).await;
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().unwrap().to_owned()
    }

    /// Changes the platforms' state.
    pub(crate) async fn change_member(&self, change: Value) {
        self.control("members", &change).await;
    }

    /// What the bot has written to this person.
    pub(crate) async fn messages(&self, chat: i64) -> Vec<Value> {
        self.get(&format!("messages?chat_id={chat}")).await["messages"].as_array().cloned().unwrap()
    }

    /// What stands in a channel.
    pub(crate) async fn messages_in(&self, channel: ChannelId) -> Vec<Value> {
        let found = self.get(&format!("messages?channel_id={channel}")).await;
        found["messages"].as_array().cloned().unwrap()
    }

    /// This person takes no direct messages.
    pub(crate) async fn close_messages(&self, chat: i64) {
        self.control("direct-messages", &json!({ "chat_id": chat.to_string(), "closed": true })).await;
    }

    async fn get(&self, path: &str) -> Value {
        let url = format!("http://{}/control/{path}", self.simulator);
        self.http.get(url).send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn stats(&self) -> Value {
        self.get("stats").await
    }

    pub(crate) async fn updates(&self) -> u64 {
        self.stats().await["member_updates"].as_u64().unwrap()
    }

    /// Roles, ascending, and nickname on the chat platform.
    pub(crate) async fn member(&self, id: i64) -> (Vec<i64>, Option<String>) {
        let member = self.get(&format!("chat/guilds/{GUILD}/members/{id}")).await;
        let roles = member["roles"].as_array().unwrap_or_else(|| panic!("{member}"));
        let mut roles: Vec<i64> = roles.iter().map(|id| id.as_str().unwrap().parse().unwrap()).collect();
        roles.sort_unstable();
        (roles, member["nick"].as_str().map(str::to_owned))
    }

    /// The number of these people, all of rank 1, whose role or name is wrong.
    pub(crate) async fn wrong(&self, people: &[Person]) -> usize {
        let mut wrong = 0;
        for person in people {
            let expected = (vec![people::MEMBER], Some(person.name.clone()));
            wrong += usize::from(self.member(person.chat).await != expected);
        }
        wrong
    }
}

pub(crate) fn platforms_at(simulator: SocketAddr, token: Option<&str>) -> Platforms {
    let config = PlatformConfig {
        chat_api_url: Some(format!("http://{simulator}/api/v10")),
        chat_token: token.map(Into::into),
        chat_client_id: None,
        chat_client_secret: None,
        chat_public_key: None,
        play_api_url: Some(format!("http://{simulator}")),
        play_key: Some("key".into()),
        play_client_id: None,
        play_client_secret: None,
        play_webhook_secret: None,
        chat_rate: PlatformRate::Off,
        play_rate: PlatformRate::Off,
        webhook_networks: "127.0.0.0/8".parse().into_iter().collect(),
        follow_share: 0,
    };
    Platforms::new(&config, None).unwrap()
}

pub(crate) async fn bind(context: &Context, rank: i16, role_id: i64) {
    let group = GroupId::try_from(GROUP).unwrap();
    let rule = Rule::new(Condition::GroupRank { group, rank: rank.into() }, role(role_id));
    let added = binding::add(context.database.write(), guild_id(), rule, context.clock.now()).await.unwrap();
    assert!(added.is_some());
}

pub(crate) async fn until<F: AsyncFnMut() -> bool>(what: &str, mut reached: F) {
    eventually(what, DEADLINE, async || reached().await.then_some(())).await;
}
