//! One simulator and one database, for one worker process after the other.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use entities::audit_entry::{self, Actor};
use entities::binding::{self, Kind, Rule};
use entities::job::{Model, listing};
use entities::{ChatId, GroupId, GuildId, JobId, PlayId, RoleId, guild, job_failure, link};
use platforms::Platforms;
use queue::run::Slots;
use queue::{Answer, Draft, Enqueued, Payload, Queue};
use runtime::{Config, Context, PlatformConfig, PlatformRate, Shutdown};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use simulator::{RateLimit, SimulatorOptions, SimulatorState};
use testkit::{TestDatabase, guild_row};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::people::{self, GROUP, GUILD, Person, RANKS};

/// The longest wait of a test.
const DEADLINE: Duration = Duration::from_secs(30);

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
    folder: tempfile::TempDir,
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
        let fixture = Self { folder, simulator, http, _serving: serving.drop_guard() };
        TestDatabase::sqlite_file(&fixture.folder.path().join("guildhall.db")).await;
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

    pub(crate) async fn context(&self) -> Context {
        let url = format!("sqlite://{}/guildhall.db", self.folder.path().display());
        let config = Config { database_url: url.into(), prefix: "test".to_owned(), broker: None };
        Context::embedded(&config, Shutdown::new()).await.unwrap()
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
        worker::start(&context, &queue, platforms, Slots::default());
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

    /// A call to the chat platform by another client, below the guild.
    pub(crate) async fn by_hand(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let url = format!("http://{}/api/v10/guilds/{GUILD}/{path}", self.simulator);
        let request = self.http.request(method.parse().unwrap(), url).header("authorization", "Bot token");
        let request = request.header("x-audit-log-reason", "by%20hand");
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// The guild's channels on the chat platform.
    pub(crate) async fn channels(&self) -> Value {
        self.by_hand("GET", "channels", Value::Null).await.1
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
        play_api_url: Some(format!("http://{simulator}")),
        play_key: Some("key".into()),
        chat_rate: PlatformRate::Off,
        play_rate: PlatformRate::Off,
    };
    Platforms::new(&config, None).unwrap()
}

pub(crate) async fn bind(context: &Context, rank: i16, role_id: i64) {
    let group_id = GroupId::try_from(GROUP).unwrap();
    let rule = Rule { kind: Kind::GroupRank, group_id, rank: rank.into(), role_id: role(role_id) };
    let added = binding::add(context.database.write(), guild_id(), rule, context.clock.now()).await.unwrap();
    assert!(added.is_some());
}

pub(crate) struct Process {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
}

impl Process {
    pub(crate) async fn enqueue<P: Payload>(&self, payload: &P) -> JobId {
        let actor = Actor { actor_id: 42, key_id: None, request_id: None };
        let draft = Draft::new(guild_id(), payload, actor).unwrap();
        let transaction = self.context.database.begin().await.unwrap();
        let enqueued = draft.enqueue(&transaction, self.context.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
        self.queue.publish(enqueued.message);
        enqueued.job
    }

    /// Enqueues and waits for the end.
    pub(crate) async fn run<P: Payload>(&self, payload: &P) -> Answer {
        let job = self.enqueue(payload).await;
        self.finish(job).await
    }

    pub(crate) async fn succeed<P: Payload>(&self, payload: &P) -> Value {
        match self.run(payload).await {
            Answer::Succeeded(result) => result,
            other => panic!("{other:?}"),
        }
    }

    /// The `(status, error, message)` of a job that fails.
    pub(crate) async fn fail<P: Payload>(&self, payload: &P) -> (u16, String, String) {
        match self.run(payload).await {
            Answer::Failed(failure) => (failure.status, failure.error, failure.message),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn finish(&self, job: JobId) -> Answer {
        self.finish_within(job, DEADLINE).await
    }

    pub(crate) async fn finish_within(&self, job: JobId, longest: Duration) -> Answer {
        let answer = self.queue.call(Enqueued::joined(job), longest).await.unwrap();
        match answer {
            Some(answer) => answer,
            None => panic!("not ended in time: {:?}", self.row(job).await),
        }
    }

    pub(crate) async fn row(&self, job: JobId) -> Model {
        listing::find_any(self.context.database.read(), job).await.unwrap().unwrap()
    }

    pub(crate) async fn chunks(&self, parent: JobId) -> Vec<Model> {
        use entities::job::{Column, Entity};
        let found = Entity::find().filter(Column::ParentId.eq(parent));
        found.all(self.context.database.read()).await.unwrap()
    }

    /// `(chat id, error)` of each member that failed, by chat id.
    pub(crate) async fn failures(&self, job: JobId) -> Vec<(i64, String)> {
        let rows =
            job_failure::list(self.context.database.read(), job, entities::Page::first(1_000)).await.unwrap();
        let mut failures: Vec<_> = rows.into_iter().map(|row| (row.chat_id.get(), row.error)).collect();
        failures.sort();
        failures
    }

    /// The message of the only failed member.
    pub(crate) async fn failure_message(&self, job: JobId) -> String {
        let mut rows =
            job_failure::list(self.context.database.read(), job, entities::Page::first(2)).await.unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0).message
    }

    pub(crate) async fn audit(&self, action: &str) -> Vec<audit_entry::Model> {
        audit_entry::list(self.context.database.read(), guild_id(), Some(action), entities::Page::first(100))
            .await
            .unwrap()
    }

    pub(crate) async fn linked_name(&self, id: i64) -> String {
        let link = link::find_by_chat(self.context.database.read(), guild_id(), chat(id)).await.unwrap();
        link.unwrap().play_username
    }
}

/// Polls until `reached` returns true.
pub(crate) async fn until<F: AsyncFnMut() -> bool>(what: &str, mut reached: F) {
    let deadline = Instant::now() + DEADLINE;
    while !reached().await {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
}
