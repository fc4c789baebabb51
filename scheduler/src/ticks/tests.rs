//! Ticks fire once whatever happens around them: two processes, missed times, slow sweeps, clocks that step.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::TimeDelta;
use runtime::{Clock, Config, Secret, Shutdown};
use sea_orm::ConnectionTrait;
use tokio::sync::Semaphore;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn every_schedule_can_be_read_and_has_its_own_name() {
    let names: HashSet<_> = SCHEDULES.iter().map(|schedule| schedule.name).collect();
    assert_eq!(names.len(), SCHEDULES.len());
    for schedule in SCHEDULES {
        cron::Schedule::from_str(schedule.cron).unwrap();
    }
}

#[test]
fn the_latest_tick_is_the_one_at_or_before_now() {
    let cron = cron::Schedule::from_str("0 */10 * * * *").unwrap();
    for (now, tick) in [
        ("2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"),
        ("2026-11-20T12:00:00.5Z", "2026-11-20T12:00:00Z"),
        ("2026-11-20T12:09:59.999999Z", "2026-11-20T12:00:00Z"),
        ("2026-11-20T12:10:00Z", "2026-11-20T12:10:00Z"),
        ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"),
    ] {
        assert_eq!(latest_tick(&cron, at(now)), Some(at(tick)), "{now}");
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

/// A database of one's own: a SQLite file or, where a server is named, Postgres.
struct Place {
    context: Context,
    _folder: tempfile::TempDir,
}

async fn places() -> Vec<Place> {
    let mut places = vec![place(None).await];
    match std::env::var("GUILDHALL_TEST_DATABASE_URL") {
        Ok(server) => places.push(place(Some(server)).await),
        Err(_) => eprintln!("skipped on Postgres: GUILDHALL_TEST_DATABASE_URL is not set"),
    }
    places
}

async fn place(server: Option<String>) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let database_url = match server {
        None => format!("sqlite://{}/ticks.db", folder.path().display()),
        Some(server) => {
            let name = format!("t{}", uuid::Uuid::now_v7().simple());
            let conn = sea_orm::Database::connect(&server).await.unwrap();
            conn.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
            format!("{}/{name}", server.rsplit_once('/').unwrap().0)
        }
    };
    let config = Config { database_url: Secret::from(database_url), prefix: "t".to_owned(), broker: None };
    let mut context = Context::embedded(&config, Shutdown::new()).await.unwrap();
    context.clock = Clock::manual(at("2026-11-20T12:00:30Z"));
    migrations::apply(context.database.write()).await.unwrap();
    Place { context, _folder: folder }
}

impl Place {
    fn ticker(&self, holder: &str, table: &'static [Schedule]) -> Arc<Ticker> {
        Arc::new(Ticker::new(self.context.clone(), holder.to_owned(), table))
    }

    /// Waits until the newest tick that fired has ended.
    async fn settled(&self, schedule: &str) -> fired_schedule::Model {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let last = fired_schedule::last(self.context.database.read(), schedule).await.unwrap();
            if let Some(last) = last.filter(|last| last.finished_at.is_some()) {
                return last;
            }
            assert!(tokio::time::Instant::now() < deadline, "a run of {schedule} never ended");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A schedule for each minute that counts its runs.
macro_rules! counting {
    ($runs:ident, $table:ident) => {
        static $runs: AtomicU64 = AtomicU64::new(0);
        static $table: &[Schedule] = &[Schedule {
            name: "count",
            cron: "0 * * * * *",
            run: |_| Box::pin(async { Ok($runs.fetch_add(1, Ordering::SeqCst)) }),
        }];
    };
}

#[tokio::test]
async fn of_two_schedulers_one_fires_each_tick() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let (one, two) = (place.ticker("one", TABLE), place.ticker("two", TABLE));
        for minute in 1..=100 {
            place.context.clock.advance(Duration::from_secs(60));
            tokio::join!(one.look(), two.look());
            let last = place.settled("count").await;
            assert_eq!(last.tick, at("2026-11-20T12:00:00Z") + TimeDelta::minutes(minute));
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), 100);
    }
}

#[tokio::test]
async fn of_missed_ticks_the_latest_runs_once_on_return() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let before = place.ticker("before", TABLE);
        before.look().await;
        assert_eq!(RUNS.load(Ordering::SeqCst), 0, "ticks before the first start are not made up for");
        place.context.clock.advance(Duration::from_secs(60));
        before.look().await;
        place.settled("count").await;
        place.context.clock.advance(Duration::from_secs(5 * 60));
        let returned = place.ticker("returned", TABLE);
        returned.look().await;
        returned.look().await;
        let last = place.settled("count").await;
        assert_eq!((last.tick, last.holder.as_str()), (at("2026-11-20T12:06:00Z"), "returned"));
        assert_eq!(RUNS.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_clock_that_steps_back_fires_nothing_twice() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let ticker = place.ticker("one", TABLE);
        place.context.clock.advance(Duration::from_secs(180));
        ticker.look().await;
        place.settled("count").await;
        place.context.clock.set(at("2026-11-20T12:00:30Z"));
        for _ in 0..3 {
            place.context.clock.advance(Duration::from_secs(60));
            ticker.look().await;
            place.ticker("another", TABLE).look().await;
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), 1);
        place.context.clock.advance(Duration::from_secs(60));
        ticker.look().await;
        assert_eq!(place.settled("count").await.tick, at("2026-11-20T12:04:00Z"));
        assert_eq!(RUNS.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_running_sweep_is_not_started_again_and_runs_once_more_when_it_is_over() {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    static MAY_END: Semaphore = Semaphore::const_new(0);
    static TABLE: &[Schedule] = &[Schedule {
        name: "slow",
        cron: "0 * * * * *",
        run: |_| {
            Box::pin(async {
                STARTED.fetch_add(1, Ordering::SeqCst);
                MAY_END.acquire().await.unwrap().forget();
                Ok(0)
            })
        },
    }];
    for place in places().await {
        STARTED.store(0, Ordering::SeqCst);
        let (one, two) = (place.ticker("one", TABLE), place.ticker("two", TABLE));
        for _ in 0..3 {
            place.context.clock.advance(Duration::from_secs(60));
            tokio::join!(one.look(), two.look());
        }
        let first = fired_schedule::last(place.context.database.read(), "slow").await.unwrap().unwrap();
        assert_eq!((first.tick, first.finished_at), (at("2026-11-20T12:01:00Z"), None));
        MAY_END.add_permits(1);
        place.settled("slow").await;
        MAY_END.add_permits(1);
        tokio::join!(one.look(), two.look());
        let last = place.settled("slow").await;
        assert_eq!(last.tick, at("2026-11-20T12:03:00Z"));
        assert_eq!(STARTED.load(Ordering::SeqCst), 2);
    }
}
