//! A database, its clock, a broker and some processes; one database serves many histories.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::DateTime;
use entities::audit_entry::Actor;
use entities::job::insert::{self, NewJob};
use entities::job::{Claim, Class, Column, Entity, JobMessage, Model, State};
use entities::{GuildId, JobId, Timestamp, guild, job_pause};
use futures_util::FutureExt;
use runtime::{Clock, Config, Context, Database, Secret, Shutdown};
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryOrder, Statement};
use serde_json::json;
use testkit::{TestDatabase, guild_row};

use super::process::Process;
use super::random::Random;
use super::step::{Burned, Cause, Fault, KIND, MAX_ATTEMPTS};
use crate::{Queue, backoff};

const PROCESSES: usize = 3;
/// The largest clock error, either way.
const SKEW_SECONDS: usize = 90;
pub(super) const GUILD: i64 = 7_000_000_000_000_000_000;

/// A message that may be delivered from this time on.
pub(super) struct Message {
    pub(super) message: JobMessage,
    pub(super) due: Duration,
}

pub(super) struct World {
    pub(super) database: Database,
    /// The actors without faults: leader, API, operators.
    pub(super) leader: Queue,
    pub(super) guild: GuildId,
    /// Time since the world began, the same for all.
    pub(super) now: Duration,
    start: Timestamp,
    pub(super) random: Random,
    pub(super) processes: Vec<Option<Process>>,
    pub(super) messages: Vec<Message>,
    pub(super) rows: Vec<Model>,
    pub(super) pauses: Vec<job_pause::Model>,
    pub(super) effects: HashSet<Claim>,
    /// Claims of runs that a failover lost.
    pub(super) void: HashSet<Claim>,
    /// Chunks of parents that were retried since.
    pub(super) retired: HashSet<JobId>,
    /// Jobs that were made due in a step that a failover lost: their messages are under way.
    pub(super) hurried: HashSet<JobId>,
    pub(super) burned: Burned,
    /// The newest heartbeat that reached the database, of each registered process.
    pub(super) beats: HashMap<String, Duration>,
    pub(super) trace: Vec<String>,
    seed: u64,
    started: usize,
}

impl World {
    pub(super) async fn start(test: &TestDatabase) -> Self {
        let config = Config { database_url: Secret::from(test.url()), prefix: "t".to_owned(), broker: None };
        let mut context = Context::embedded(&config, Shutdown::new()).await.unwrap();
        let start = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        context.clock = Clock::manual(start);
        // Timers of due jobs end at once: the histories deliver their own messages for those.
        context.shutdown.begin();
        let database = context.database.clone();
        if test.is_postgres() {
            simulate_time(test, &database, start).await;
        }
        let guild = GuildId::try_from(GUILD).unwrap();
        guild::upsert(database.write(), guild_row(guild, start)).await.unwrap();
        Self {
            leader: Queue::embedded(&context),
            database,
            guild,
            now: Duration::ZERO,
            start,
            random: Random(0),
            processes: Vec::new(),
            messages: Vec::new(),
            rows: Vec::new(),
            pauses: Vec::new(),
            effects: HashSet::new(),
            void: HashSet::new(),
            retired: HashSet::new(),
            hurried: HashSet::new(),
            burned: Burned::default(),
            beats: HashMap::new(),
            trace: Vec::new(),
            seed: 0,
            started: 0,
        }
    }

    pub(super) async fn begin(&mut self, seed: u64) {
        (self.seed, self.random) = (seed, Random(seed));
        self.leader.clock = self.new_clock();
        for _ in 0..PROCESSES {
            let process = self.new_process().await;
            self.note_beats(&process);
            self.processes.push(Some(process));
        }
        for _ in 0..5 + self.random.below(5) {
            self.enqueue().await;
        }
    }

    pub(super) async fn clear(&mut self) {
        self.processes.clear();
        self.rows.clear();
        self.effects.clear();
        self.void.clear();
        self.retired.clear();
        self.hurried.clear();
        self.burned = Burned::default();
        self.beats.clear();
        self.trace.clear();
        for table in ["job", "worker", "job_pause"] {
            self.database.write().execute_unprepared(&format!("DELETE FROM {table}")).await.unwrap();
        }
        self.collect_messages().await;
        self.messages.clear();
    }

    /// Wrong on Postgres. A SQLite database has one process, and its clock.
    fn new_clock(&mut self) -> Clock {
        let skew =
            if self.database.is_postgres() { self.random.below(2 * SKEW_SECONDS) } else { SKEW_SECONDS };
        let clock = Clock::manual(self.start);
        clock.advance(self.now);
        clock.set(self.time() + Duration::from_secs(skew as u64) - Duration::from_secs(SKEW_SECONDS as u64));
        clock
    }

    pub(super) async fn new_process(&mut self) -> Process {
        let mut queue = self.leader.clone();
        queue.clock = self.new_clock();
        self.started += 1;
        Process::start(queue, format!("process-{}", self.started), self.now).await
    }

    /// By the database's clock.
    pub(super) fn time(&self) -> Timestamp {
        self.start + self.now
    }

    /// Advances time everywhere, for frozen processes too.
    pub(super) async fn advance(&mut self, by: Duration) {
        self.now += by;
        self.tell(format!("{} ms later", by.as_millis()));
        self.leader.clock.advance(by);
        self.processes.iter().flatten().for_each(|process| process.queue.clock.advance(by));
        if self.database.is_postgres() {
            set_time(&self.database, "UPDATE simulated_time SET at = $1", self.time()).await;
        }
    }

    pub(super) fn fault(&mut self, percent: usize) -> Fault {
        backoff::fixed::set(0.8 + f64::from(u32::try_from(self.random.below(400)).unwrap_or(0)) / 1_000.0);
        if !self.random.percent(percent) {
            return Fault::None;
        }
        if self.random.percent(50) { Fault::Refused } else { Fault::AnswerLost }
    }

    /// The process, unless it is frozen; [`World::put_back`] returns it.
    pub(super) fn take_awake(&mut self, at: usize) -> Option<Process> {
        if self.processes[at].as_ref().is_some_and(|process| process.frozen) {
            return None;
        }
        self.processes[at].take()
    }

    pub(super) fn put_back(&mut self, at: usize, process: Process) {
        self.processes[at] = Some(process);
    }

    pub(super) fn note_beats(&mut self, process: &Process) {
        self.heard_of(&process.registration.name, process.beaten);
    }

    pub(super) async fn enqueue(&mut self) {
        let class =
            [Class::Interactive, Class::Default, Class::Bulk, Class::Bulk, Class::Bulk][self.random.below(5)];
        let chunks =
            if class == Class::Bulk && self.random.percent(35) { 1 + self.random.below(3) } else { 0 };
        let job = NewJob {
            id: JobId(uuid::Uuid::now_v7()),
            guild: (chunks > 0 || self.random.percent(90)).then_some(self.guild),
            parent: None,
            kind: KIND,
            class,
            args: json!({ "class": class, "chunks": chunks }),
            max_attempts: MAX_ATTEMPTS,
            dedupe_key: None,
            total: 0,
            actor: Actor::service(),
            traceparent: None,
        };
        self.tell(format!("enqueue {} {}, chunks: {chunks}", self.rows.len(), class.name()));
        let now = self.leader.clock.now();
        let inserted = insert::insert(self.database.write(), vec![job], now).await.unwrap();
        if self.random.percent(80) {
            self.leader.publish(inserted.into_iter().filter_map(|(_, message)| message));
        }
        self.check(Cause::Enqueue).await;
    }

    pub(super) fn pick_job(&mut self) -> Option<JobId> {
        let at = self.random.below(self.rows.len());
        self.rows.get(at).map(|row| row.job_id)
    }

    pub(super) fn row(&self, job: JobId) -> &Model {
        self.rows.iter().find(|row| row.job_id == job).unwrap()
    }

    pub(super) fn number(&self, job: JobId) -> usize {
        self.rows.iter().position(|row| row.job_id == job).unwrap_or(usize::MAX)
    }

    /// A standby without the newest commits becomes the database: the jobs are what they were.
    pub(super) async fn restore(&mut self, rows: Vec<Model>) {
        let was_due =
            |row: &Model| self.rows.iter().any(|lost| lost.job_id == row.job_id && lost.run_at < row.run_at);
        self.hurried.extend(rows.iter().filter(|row| was_due(row)).map(|row| row.job_id));
        self.database.write().execute_unprepared("DELETE FROM job").await.unwrap();
        for row in &rows {
            let row = row.clone().into_active_model().reset_all();
            Entity::insert(row).exec_without_returning(self.database.write()).await.unwrap();
        }
        self.rows = rows;
        let current: HashSet<Claim> =
            self.rows.iter().filter(|row| row.state == State::Running).map(Model::claim).collect();
        self.void.extend(self.processes.iter().flatten().flat_map(Process::claims));
        self.void.retain(|claim| !current.contains(claim));
    }

    pub(super) async fn read_rows(&mut self) {
        let all = Entity::find().order_by_asc(Column::JobId);
        self.rows = all.all(self.database.write()).await.unwrap();
    }

    /// Moves published messages into the simulated broker: some are lost, some are late. Jobs due later get their
    /// message then.
    pub(super) async fn collect_messages(&mut self) {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        let mut published = Vec::new();
        for &class in Class::ALL {
            let mut deliveries = self.leader.broker.consume(class, 1);
            for delivery in deliveries.next(usize::MAX).now_or_never().into_iter().flatten() {
                published.push(delivery.message);
            }
        }
        published.sort_by_key(|message| (message.job, message.token));
        for message in published {
            if self.random.percent(85) {
                let late = if self.random.percent(20) { self.random.below(40) } else { 0 };
                let due = self.now + Duration::from_secs(late as u64);
                self.messages.push(Message { message, due });
            }
        }
    }

    pub(super) fn lose_messages(&mut self) {
        self.tell("the broker is wiped".to_owned());
        self.messages.clear();
    }

    pub(super) fn tell(&mut self, step: String) {
        self.trace.push(step);
    }
}

impl Drop for World {
    /// The steps that led to a failure.
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}\nseed {} fails", self.trace.join("\n"), self.seed);
        }
    }
}

/// From now on the database's clock is a row.
async fn simulate_time(test: &TestDatabase, database: &Database, start: Timestamp) {
    test.execute("CREATE TABLE simulated_time (at timestamptz NOT NULL)").await;
    test.execute(
        "CREATE OR REPLACE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE \
         AS 'SELECT at FROM simulated_time'",
    )
    .await;
    set_time(database, "INSERT INTO simulated_time VALUES ($1)", start).await;
}

async fn set_time(database: &Database, sql: &str, to: Timestamp) {
    let statement = Statement::from_sql_and_values(sea_orm::DatabaseBackend::Postgres, sql, [to.into()]);
    database.write().execute_raw(statement).await.unwrap();
}
