//! A database, a broker and a clock for each test.

use std::time::Duration;

use chrono::DateTime;
use entities::audit_entry::Actor;
use entities::job::insert::{self, NewJob};
use entities::job::{Model, Published, State, Status, claim, listing};
use entities::{GuildId, JobId, Timestamp, worker};
use queue::run::{Registry, Slots};
use queue::{Answer, Draft, Enqueued, Payload, Queue, Retry, Unlimited};
use runtime::{Clock, Config, Context, Events, Secret, Shutdown};
use sea_orm::{ConnectionTrait, Statement};
use testkit::{Namespace, Servers, TestDatabase, eventually, guild_row};

pub(crate) const GUILD: &str = "7000000000000000000";
/// The longest wait of a test.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_secs(30);
/// A job available for longer is claimed by the safety net.
pub(crate) const NET_AFTER: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Embedded,
    Distributed,
}

/// Runs a test body in both modes, as two tests.
macro_rules! both_modes {
    ($(async fn $name:ident($fixture:ident: Fixture) $body:block)+) => { $(
        mod $name {
            use super::*;

            async fn body($fixture: &$crate::fixture::Fixture) $body

            async fn run(mode: $crate::fixture::Mode) {
                let fixture = $crate::fixture::Fixture::start(mode).await;
                body(&fixture).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn embedded() {
                run($crate::fixture::Mode::Embedded).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn distributed() {
                run($crate::fixture::Mode::Distributed).await;
            }
        }
    )+ };
}
pub(crate) use both_modes;

pub(crate) struct Fixture {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    config: Config,
    _test_database: TestDatabase,
    _namespace: Option<Namespace>,
}

/// Makes the database's clock a row, which [`Fixture::advance`] changes.
async fn simulate_time(conn: &impl ConnectionTrait, start: Timestamp) {
    let statements = [
        "CREATE TABLE simulated_time (at timestamptz NOT NULL)",
        "CREATE OR REPLACE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE \
         AS 'SELECT at FROM simulated_time'",
    ];
    for sql in statements {
        conn.execute_unprepared(sql).await.unwrap();
    }
    set_time(conn, "INSERT INTO simulated_time VALUES ($1)", start).await;
}

async fn set_time(conn: &impl ConnectionTrait, sql: &str, to: Timestamp) {
    let statement = Statement::from_sql_and_values(conn.get_database_backend(), sql, [to.into()]);
    conn.execute_raw(statement).await.unwrap();
}

impl Fixture {
    pub(crate) async fn start(mode: Mode) -> Self {
        let (test_database, namespace) = match mode {
            Mode::Embedded => (TestDatabase::sqlite().await, None),
            Mode::Distributed => (TestDatabase::postgres().await, Some(Namespace::new(Servers::from_env()))),
        };
        let broker = namespace.as_ref().map(Namespace::broker);
        let prefix = namespace.as_ref().map_or_else(String::new, |namespace| namespace.prefix.clone());
        let config = Config { database_url: Secret::from(test_database.url()), prefix, broker };
        let clock = Clock::manual(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        if test_database.is_postgres() {
            let database = test_database.open().await;
            simulate_time(database.write(), clock.now()).await;
            database.close().await;
        }
        let (context, queue) = Self::process(&config, &clock).await;
        let fixture = Self { context, queue, config, _test_database: test_database, _namespace: namespace };
        fixture.add_guild(guild()).await;
        fixture
    }

    async fn process(config: &Config, clock: &Clock) -> (Context, Queue) {
        let mut context = Context::open(config, Shutdown::new()).await.unwrap();
        context.clock = clock.clone();
        let queue = match &config.broker {
            None => Queue::embedded(&context),
            Some(broker) => Queue::distributed(&context, broker.amqp_url.expose(), &config.prefix),
        };
        if config.broker.is_some() {
            let mut connects = queue.broker().connects();
            connects.wait_for(|count| *count > 0).await.unwrap();
        }
        (context, queue)
    }

    pub(crate) async fn add_guild(&self, id: GuildId) {
        let guild = guild_row(id, self.context.clock.now());
        entities::guild::upsert(self.context.database.write(), guild).await.unwrap();
    }

    /// Another process on the same database and broker.
    pub(crate) async fn another_process(&self) -> (Context, Queue) {
        Self::process(&self.config, &self.context.clock).await
    }

    pub(crate) async fn worker_name(&self) -> String {
        let first = async || {
            let workers = worker::list(self.context.database.read()).await.unwrap();
            workers.first().map(|listed| listed.worker.name.clone())
        };
        eventually("a worker registers", WAIT_LIMIT, first).await
    }

    pub(crate) fn work_with(&self, registry: Registry) {
        queue::run::run(&self.queue, registry, Slots::default());
    }

    pub(crate) async fn enqueue<P: Payload>(&self, payload: &P) -> Enqueued {
        self.enqueue_draft(Draft::new(guild(), payload, Actor::service()).unwrap()).await
    }

    pub(crate) async fn enqueue_draft(&self, draft: Draft) -> Enqueued {
        let transaction = self.context.database.begin().await.unwrap();
        let enqueued = draft.insert(&transaction, self.context.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
        enqueued
    }

    pub(crate) async fn call<P: Payload>(&self, payload: &P) -> Option<Answer> {
        let enqueued = self.enqueue(payload).await;
        self.queue.call(enqueued, WAIT_LIMIT).await.unwrap()
    }

    pub(crate) async fn row(&self, job: JobId) -> Model {
        listing::find_any(self.context.database.read(), job).await.unwrap().unwrap()
    }

    /// Advances the clocks of this process and of the database.
    pub(crate) async fn advance(&self, by: Duration) {
        self.context.clock.advance(by);
        if self.context.database.is_postgres() {
            let sql = "UPDATE simulated_time SET at = $1";
            set_time(self.context.database.write(), sql, self.context.clock.now()).await;
        }
    }

    /// Claims a queued job for an unregistered worker.
    pub(crate) async fn claim(&self, job: JobId) -> Option<Model> {
        let published = self.row(job).await.message().published();
        self.claim_as(published, "by-hand").await
    }

    pub(crate) async fn claim_as(&self, published: Published, worker: &str) -> Option<Model> {
        let (conn, now) = (self.context.database.write(), self.context.clock.now());
        claim::published(conn, &[published], worker, now).await.unwrap().into_iter().next()
    }

    /// Inserts a chunk, held until its parent's plan ends.
    pub(crate) async fn insert_chunk<P: Payload>(&self, parent: JobId, payload: &P, total: i64) -> JobId {
        let chunk = NewJob {
            id: JobId(uuid::Uuid::now_v7()),
            guild: Some(guild()),
            parent: Some(parent),
            kind: P::KIND,
            class: P::CLASS,
            args: serde_json::to_value(payload).unwrap(),
            max_attempts: P::MAX_ATTEMPTS,
            dedupe_key: None,
            total,
            actor: Actor::service(),
            traceparent: None,
        };
        let (id, now) = (chunk.id, self.context.clock.now());
        insert::insert_held(self.context.database.write(), vec![chunk], now).await.unwrap();
        id
    }

    pub(crate) async fn cancel(&self, job: JobId) -> Model {
        let transaction = self.context.database.begin().await.unwrap();
        let (row, event) = self.queue.cancel(&transaction, job).await.unwrap().unwrap();
        let recorded = Events::record(&transaction, [event], self.context.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
        self.context.events.publish(recorded);
        row
    }

    pub(crate) async fn retry(&self, job: JobId) -> Retry {
        let row = self.row(job).await;
        let transaction = self.context.database.begin().await.unwrap();
        let now = self.context.clock.now();
        let retried = queue::retry(&transaction, &row, Unlimited, now).await.unwrap();
        transaction.commit().await.unwrap();
        retried
    }

    /// Executes a statement, valid in both databases, for states that are hard to reach otherwise.
    pub(crate) async fn execute(&self, sql: &str) {
        self.context.database.write().execute_unprepared(sql).await.unwrap();
    }

    /// Polls the row until `reached` returns true.
    pub(crate) async fn wait_until(&self, job: JobId, reached: impl Fn(&Model) -> bool) -> Model {
        let found = async || Some(self.row(job).await).filter(|row| reached(row));
        eventually("the job's state", WAIT_LIMIT, found).await
    }

    pub(crate) async fn wait_for(&self, job: JobId, state: State) -> Model {
        self.wait_until(job, |row| row.state == state).await
    }

    /// The same, while the clocks advance by the heartbeat's interval, so that late timers fire as well.
    pub(crate) async fn wait_while_time_passes(&self, job: JobId, state: State) -> Model {
        let passing = async || {
            self.advance(Duration::from_secs(3)).await;
            Some(self.row(job).await).filter(|row| row.state == state)
        };
        eventually("the job's state", WAIT_LIMIT, passing).await
    }

    /// Advances the clocks past each backoff until the job is dead.
    pub(crate) async fn exhaust(&self, job: JobId) -> Model {
        loop {
            let over = |row: &Model| row.state == State::Dead;
            let now = self.context.clock.now();
            let row = self.wait_until(job, |row| over(row) || row.status(now) == Status::Retrying).await;
            if over(&row) {
                return row;
            }
            self.advance((row.run_at - now).to_std().unwrap() + NET_AFTER).await;
        }
    }
}

pub(crate) fn guild() -> GuildId {
    GUILD.parse().unwrap()
}
