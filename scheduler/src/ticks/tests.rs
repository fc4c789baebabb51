//! Ticks under schedulers that lead, believe they lead, freeze in the middle of a pass and die, with wrong clocks;
//! tasks that fail or take long; operators who pause schedules. A seed determines each run; `GUILDHALL_TICKS` sets the
//! number of simulated ticks.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use entities::job::claim::{self, Available};
use entities::job::run::{self, Requeue};
use entities::job::{Class, Failure, Model, State, listing};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sea_orm::EntityTrait;
use serde_json::json;

use super::*;

const DUE: Available<'static> = Available {
    class: Class::Maintenance,
    kinds: &["periodic_task"],
    since: Duration::ZERO,
    overtaken: None,
    most: 10,
};
use jobs::schedules::Task;

use crate::test_database::{TestDatabase, test_databases};

const TABLE: &[Schedule] = &[
    Schedule { name: "often", cron: "*/15 * * * * *", task: Task::Sanctions, about: "" },
    Schedule { name: "minutely", cron: "5 * * * * *", task: Task::Strikes, about: "" },
];
const PROCESSES: usize = 3;
/// The largest clock error, either way.
const SKEW_SECONDS: i64 = 3_600;

struct Simulation<'a> {
    test: &'a TestDatabase,
    random: StdRng,
    now: Timestamp,
    tickers: Vec<Ticker>,
    /// Processes frozen after reading the time, with the ticks they are about to fire.
    frozen: Vec<(usize, &'static str, Timestamp)>,
    last: HashMap<String, Timestamp>,
    fired: HashSet<(String, Timestamp)>,
    paused: HashSet<String>,
    failed: u32,
}

impl<'a> Simulation<'a> {
    fn start(test: &'a TestDatabase, seed: u64) -> Self {
        let mut simulation = Self {
            test,
            random: StdRng::seed_from_u64(seed),
            now: test.context.clock.now(),
            tickers: Vec::new(),
            frozen: Vec::new(),
            last: HashMap::new(),
            fired: HashSet::new(),
            paused: HashSet::new(),
            failed: 0,
        };
        for _ in 0..PROCESSES {
            let ticker = simulation.ticker();
            simulation.tickers.push(ticker);
        }
        simulation
    }

    /// A newly started process. On Postgres its clock is wrong.
    fn ticker(&mut self) -> Ticker {
        let mut context = self.test.context.clone();
        if context.database.is_postgres() {
            let skew = self.random.random_range(-SKEW_SECONDS..=SKEW_SECONDS);
            context.clock = runtime::Clock::manual(self.now + chrono::TimeDelta::seconds(skew));
        }
        let queue = Queue::embedded(&context);
        Ticker::new(context, queue, TABLE)
    }

    async fn step(&mut self) {
        // Mostly a few seconds; sometimes an hour without a pass.
        let gap = if self.random.random_ratio(1, 200) { 3_600 } else { 20 };
        self.now += Duration::from_secs(self.random.random_range(1..=gap));
        self.test.set_time(self.now).await;
        let at = self.random.random_range(0..PROCESSES);
        match self.random.random_range(0..100) {
            0..4 => self.tickers[at] = self.ticker(),
            4..8 => self.freeze(at),
            8..12 => self.wake().await,
            12..14 => self.pause_or_resume().await,
            // Each process that believes it leads makes a pass.
            14..40 => self.look_together().await,
            _ => self.look(at).await,
        }
        self.work().await;
    }

    fn freeze(&mut self, at: usize) {
        let (schedule, cron) = &self.tickers[at].schedules[self.random.random_range(0..TABLE.len())];
        self.frozen.push((at, schedule.name, latest_tick(cron, self.now).unwrap()));
    }

    /// A frozen process completes its interrupted pass, however old.
    async fn wake(&mut self) {
        let Some((at, name, tick)) = self.frozen.pop() else { return };
        let ticker = &self.tickers[at];
        fire(&ticker.context, &ticker.queue, name, tick).await.unwrap();
        self.note_fired().await;
    }

    async fn look(&mut self, at: usize) {
        self.tickers[at].look().await.unwrap();
        self.note_fired().await;
        self.check_none_missed();
    }

    async fn look_together(&mut self) {
        let looks = self.tickers.iter_mut().map(Ticker::look);
        for looked in futures_util::future::join_all(looks).await {
            looked.unwrap();
        }
        self.note_fired().await;
        self.check_none_missed();
    }

    async fn pause_or_resume(&mut self) {
        let name = TABLE[self.random.random_range(0..TABLE.len())].name;
        let pause = !self.paused.remove(name);
        if pause {
            self.paused.insert(name.to_owned());
        }
        let conn = self.test.context.database.write();
        schedule::set_paused(conn, name, pause).await.unwrap();
    }

    /// No tick fires twice, none of a paused schedule, and none before an earlier one.
    async fn note_fired(&mut self) {
        for row in schedule::list(self.test.context.database.write()).await.unwrap() {
            let before = self.last.insert(row.name.clone(), row.last_tick);
            let Some(before) = before.filter(|before| *before != row.last_tick) else { continue };
            assert!(before < row.last_tick && row.last_tick <= self.now, "{before} then {}", row.last_tick);
            assert!(!self.paused.contains(&row.name), "a paused schedule fired");
            assert!(self.fired.insert((row.name.clone(), row.last_tick)), "fired twice: {}", row.last_tick);
            let job =
                listing::find_any(self.test.context.database.write(), row.job_id.unwrap()).await.unwrap();
            let job = job.unwrap();
            assert!(job.state.is_open(), "a tick is a job that is open: {job:?}");
            assert_eq!(job.args["schedule"], row.name);
        }
    }

    /// After a pass the latest missed tick has fired.
    fn check_none_missed(&self) {
        for (schedule, cron) in &self.tickers[0].schedules {
            let latest = latest_tick(cron, self.now).unwrap();
            let last = self.last.get(schedule.name);
            assert!(self.paused.contains(schedule.name) || last == Some(&latest), "{latest} is missed");
        }
    }

    /// Some process runs the due jobs: a run mostly succeeds, may fail and be retried, or takes long.
    async fn work(&mut self) {
        let conn = self.test.context.database.write();
        if self.random.random_ratio(1, 5) {
            return;
        }
        for job in claim::available(conn, DUE, "scheduler", self.now).await.unwrap() {
            if self.random.random_ratio(1, 10) {
                let failure = Failure {
                    status: 503,
                    error: "failed".to_owned(),
                    message: String::new(),
                    retry_after: None,
                };
                let wait = Duration::from_secs(40);
                let how = Requeue { wait, burn: true, failure: Some(&failure), ..Requeue::default() };
                run::requeue(conn, &job, how, self.now).await.unwrap().unwrap();
                self.failed += 1;
            } else {
                let ended = run::succeed(conn, &[(job.claim(), json!({}))], self.now).await.unwrap();
                assert_eq!(ended.len(), 1);
            }
        }
    }

    /// Every job has succeeded, and no tick has two jobs.
    async fn check_jobs(&mut self) {
        for _ in 0..20 {
            self.now += Duration::from_secs(60);
            self.test.set_time(self.now).await;
            self.work().await;
        }
        let jobs: Vec<Model> =
            entities::job::Entity::find().all(self.test.context.database.write()).await.unwrap();
        assert!(jobs.iter().all(|job| job.state == State::Succeeded));
        let ticks: HashSet<_> = jobs.iter().map(|job| job.args.to_string()).collect();
        assert_eq!(ticks.len(), jobs.len(), "two jobs for one tick");
        let retried = jobs.iter().map(|job| u32::try_from(job.attempt - 1).unwrap()).sum::<u32>();
        assert!(self.failed > 0 && retried == self.failed, "a failed task is retried as a job");
        assert!(jobs.len() > self.fired.len() / 2);
    }
}

fn ticks_wanted() -> usize {
    std::env::var("GUILDHALL_TICKS").map_or(300, |ticks| ticks.parse().unwrap())
}

#[tokio::test]
async fn ticks_fire_once_and_only_the_latest_missed_tick_fires() {
    for test in test_databases().await {
        let mut simulation = Simulation::start(&test, 7);
        while simulation.fired.len() < ticks_wanted() {
            simulation.step().await;
        }
        simulation.check_jobs().await;
    }
}

#[tokio::test]
async fn a_tick_makes_the_job_due_that_waits_for_its_next_attempt() {
    for test in test_databases().await {
        let (context, begin) = (test.context.clone(), test.context.clock.now());
        let mut ticker = Ticker::new(context.clone(), Queue::embedded(&context), TABLE);
        let at = async |seconds| {
            let now = begin + chrono::TimeDelta::seconds(seconds);
            test.set_time(now).await;
            now
        };
        ticker.look().await.unwrap();
        let now = at(20).await;
        ticker.look().await.unwrap();
        let conn = context.database.write();
        let due = async |now| claim::available(conn, DUE, "scheduler", now).await.unwrap();
        for job in due(now).await {
            // As after many failures.
            let how = Requeue { wait: Duration::from_secs(7_200), burn: true, ..Requeue::default() };
            run::requeue(conn, &job, how, now).await.unwrap().unwrap();
        }
        let now = at(25).await;
        assert!(due(now).await.is_empty());
        // Past the next tick of both.
        let now = at(100).await;
        ticker.look().await.unwrap();
        assert_eq!(due(now).await.len(), TABLE.len());
    }
}

#[test]
fn the_latest_tick_is_the_one_of_this_second_or_the_last_before() {
    let cron = cron::Schedule::from_str("5 * * * * *").unwrap();
    let latest = |now: &str| latest_tick(&cron, now.parse().unwrap()).unwrap().to_rfc3339();
    assert_eq!(latest("2026-11-20T12:00:04.999Z"), "2026-11-20T11:59:05+00:00");
    assert_eq!(latest("2026-11-20T12:00:05Z"), "2026-11-20T12:00:05+00:00");
    assert_eq!(latest("2026-11-20T12:00:05.001Z"), "2026-11-20T12:00:05+00:00");
}
