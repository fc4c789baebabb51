//! Ticks fire once whatever happens around them: two processes, missed times, slow sweeps, clocks that step.

use std::sync::atomic::{AtomicU64, Ordering};

use std::collections::HashSet;

use chrono::TimeDelta;
use runtime::Shutdown;
use tokio::sync::Semaphore;

use super::*;
use crate::leader::Candidate;
use crate::place::{Place, at, places};

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

impl Place {
    /// The ticker of a process that is alone.
    fn ticker(&self, table: &'static [Schedule]) -> Arc<Ticker> {
        self.ticker_of(Leadership::alone(&self.context), table)
    }

    fn ticker_of(&self, leadership: Leadership, table: &'static [Schedule]) -> Arc<Ticker> {
        Arc::new(Ticker::new(self.context.clone(), leadership, table))
    }
}

/// As the loop does.
async fn look(ticker: &Arc<Ticker>) -> usize {
    let runs = ticker.look().await;
    let claimed = runs.len();
    for run in runs {
        tokio::spawn(run.perform());
    }
    claimed
}

/// And waits for the runs.
async fn fire(ticker: &Arc<Ticker>) -> usize {
    let runs = ticker.look().await;
    let claimed = runs.len();
    join_all(runs.into_iter().map(Run::perform)).await;
    claimed
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
async fn of_two_that_believe_they_lead_only_the_holder_of_the_lease_fires() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let mut leader = Candidate::new(&place.context);
        leader.beat().await.unwrap();
        let one = place.ticker_of(leader.leadership.clone(), TABLE);
        let two = place.ticker_of(Leadership::mistaken(&place.context), TABLE);
        assert_eq!(look(&one).await, 0, "ticks before the first look are not made up for");
        for minute in 1..=100 {
            place.context.clock.advance(Duration::from_secs(60));
            leader.beat().await.unwrap();
            let fired = tokio::join!(fire(&one), fire(&two));
            assert_eq!(fired, (1, 0));
            let last = place.settled("count").await;
            assert_eq!(last.tick, at("2026-11-20T12:00:00Z") + TimeDelta::minutes(minute));
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), 100);
    }
}

#[tokio::test]
async fn two_that_fire_the_same_tick_at_once_fire_it_once() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let (one, two) = (place.ticker(TABLE), place.ticker(TABLE));
        tokio::join!(look(&one), look(&two));
        for _ in 0..50 {
            place.context.clock.advance(Duration::from_secs(60));
            // The lower layer: neither of them comes upon the other's run.
            let fired = tokio::join!(one.claim_due(&one.schedules[0]), two.claim_due(&two.schedules[0]));
            let fired = [fired.0.unwrap(), fired.1.unwrap()];
            assert_eq!(fired.iter().flatten().count(), 1);
            let winner = if fired[0].is_some() { &one } else { &two };
            Run::enter(winner, 0, fired.into_iter().flatten().next().unwrap()).perform().await;
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), 50);
    }
}

#[tokio::test]
async fn of_missed_ticks_the_latest_runs_once_on_return() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let before = place.ticker(TABLE);
        look(&before).await;
        assert_eq!(RUNS.load(Ordering::SeqCst), 0, "ticks before the first look are not made up for");
        place.context.clock.advance(Duration::from_secs(60));
        look(&before).await;
        place.settled("count").await;
        place.context.clock.advance(Duration::from_secs(5 * 60));
        let returned = place.ticker(TABLE);
        look(&returned).await;
        place.settled("count").await;
        look(&returned).await;
        let last = place.settled("count").await;
        assert_eq!(last.tick, at("2026-11-20T12:06:00Z"));
        assert_eq!(last.holder, *returned.leadership.holder);
        assert_eq!(RUNS.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_clock_that_steps_back_fires_nothing_twice() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let ticker = place.ticker(TABLE);
        look(&ticker).await;
        place.context.clock.advance(Duration::from_secs(180));
        look(&ticker).await;
        place.settled("count").await;
        place.context.clock.set(at("2026-11-20T12:00:30Z"));
        for _ in 0..3 {
            place.context.clock.advance(Duration::from_secs(60));
            look(&ticker).await;
            look(&place.ticker(TABLE)).await;
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), 1);
        place.context.clock.advance(Duration::from_secs(60));
        look(&ticker).await;
        assert_eq!(place.settled("count").await.tick, at("2026-11-20T12:04:00Z"));
        assert_eq!(RUNS.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_day_set_wrong_for_a_moment_stops_nothing() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let ticker = place.ticker(TABLE);
        fire(&ticker).await;
        let right = place.context.clock.now();
        place.context.clock.set(right + TimeDelta::days(1));
        assert_eq!(fire(&ticker).await, 1);
        place.context.clock.set(right);
        place.context.clock.advance(Duration::from_secs(60));
        assert_eq!(fire(&ticker).await, 1, "its clock is right again");
        for process in [ticker, place.ticker(TABLE)] {
            place.context.clock.advance(Duration::from_secs(60));
            assert_eq!(fire(&process).await, 1);
        }
    }
}

/// A schedule whose runs go on until they are let go, one permit each.
macro_rules! held {
    ($started:ident, $may_end:ident, $table:ident) => {
        static $started: AtomicU64 = AtomicU64::new(0);
        static $may_end: Semaphore = Semaphore::const_new(0);
        static $table: &[Schedule] = &[Schedule {
            name: "slow",
            cron: "0 * * * * *",
            run: |_| {
                Box::pin(async {
                    $started.fetch_add(1, Ordering::SeqCst);
                    $may_end.acquire().await.unwrap().forget();
                    Ok(0)
                })
            },
        }];
    };
}

#[tokio::test]
async fn a_running_sweep_is_not_started_again_and_runs_once_more_when_it_is_over() {
    held!(STARTED, MAY_END, TABLE);
    for place in places().await {
        STARTED.store(0, Ordering::SeqCst);
        let ticker = place.ticker(TABLE);
        look(&ticker).await;
        for _ in 0..3 {
            place.context.clock.advance(Duration::from_secs(60));
            look(&ticker).await;
        }
        let first = fired_schedule::last(place.context.database.read(), "slow").await.unwrap().unwrap();
        assert_eq!((first.tick, first.finished_at), (at("2026-11-20T12:01:00Z"), None));
        MAY_END.add_permits(1);
        place.settled("slow").await;
        MAY_END.add_permits(1);
        while look(&ticker).await == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(place.settled("slow").await.tick, at("2026-11-20T12:03:00Z"));
        assert_eq!(STARTED.load(Ordering::SeqCst), 2);
    }
}

mod again;
