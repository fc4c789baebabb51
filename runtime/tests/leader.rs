//! One process leads and others wait, without comparing clocks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails by panicking")]

use std::time::Duration;

use runtime::leader::{self, EXTENSION_VALID_FOR, LEASE, LEASE_INTERVAL};
use runtime::{Clock, Config, Context, Database, Secret, Shutdown};
use sea_orm::{ConnectionTrait, DbErr};
use testkit::TestDatabase;

/// The start of simulated time.
const START: &str = "2026-11-20T12:00:30Z";

async fn test_databases() -> [TestDatabase; 2] {
    [TestDatabase::sqlite().await, TestDatabase::postgres().await]
}

/// A process with its own clock and connections.
struct Candidate {
    candidate: leader::Candidate,
    clock: Clock,
    database: Database,
}

async fn candidate(test: &TestDatabase) -> Candidate {
    let config = Config { database_url: Secret::from(test.url()), prefix: "t".to_owned(), broker: None };
    let context = Context::embedded(&config, Shutdown::new()).await.unwrap();
    let context = Context { clock: Clock::manual(START.parse().unwrap()), ..context };
    let (clock, database) = (context.clock.clone(), context.database.clone());
    let mut candidate = Candidate { candidate: leader::Candidate::new(&context, "test"), clock, database };
    candidate.beat().await.unwrap();
    candidate
}

impl Candidate {
    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn leads(&self) -> bool {
        self.candidate.leadership.leads()
    }

    async fn beat(&mut self) -> Result<(), DbErr> {
        self.candidate.beat().await
    }

    async fn resign(&self) -> Result<(), DbErr> {
        self.candidate.resign().await
    }
}

#[tokio::test]
async fn another_process_leads_when_the_leader_stops_extending() {
    for test in test_databases().await {
        let (mut one, mut two) = (candidate(&test).await, candidate(&test).await);
        for _ in 0..20 {
            assert!(one.leads() && !two.leads());
            for each in [&mut one, &mut two] {
                each.pass(LEASE_INTERVAL);
                each.beat().await.unwrap();
            }
        }
        // The leader dies; the other process has just seen its last extension.
        drop(one);
        let mut waited = Duration::ZERO;
        while !two.leads() {
            two.pass(LEASE_INTERVAL);
            waited += LEASE_INTERVAL;
            two.beat().await.unwrap();
        }
        assert_eq!(waited, LEASE);
    }
}

#[tokio::test]
async fn a_frozen_leader_does_not_lead_when_it_wakes_up() {
    for test in test_databases().await {
        let (mut frozen, mut other) = (candidate(&test).await, candidate(&test).await);
        frozen.pass(EXTENSION_VALID_FOR);
        assert!(!frozen.leads(), "its last extension is too old");
        other.pass(LEASE);
        other.beat().await.unwrap();
        assert!(other.leads() && !frozen.leads());
        frozen.beat().await.unwrap();
        assert!(!frozen.leads(), "another holds the lease");
        // A beat counts from its sending, not from its response.
        other.pass(EXTENSION_VALID_FOR);
        assert!(!other.leads());
        other.beat().await.unwrap();
        assert!(other.leads(), "it was not taken meanwhile");
    }
}

#[tokio::test]
async fn a_holder_frozen_in_a_beat_leads_again_if_the_lease_is_still_its_own() {
    for test in test_databases().await {
        let mut frozen = candidate(&test).await;
        let clock = frozen.clock.clone();
        let database = frozen.database.clone();
        let mut beat = Box::pin(frozen.beat());
        // SQLite has one writer only; on Postgres the table is locked.
        let other = database.begin().await.unwrap();
        if database.is_postgres() {
            other.execute_unprepared("LOCK TABLE leader_lease").await.unwrap();
        }
        assert!(futures_util::poll!(&mut beat).is_pending());
        clock.advance(LEASE);
        other.rollback().await.unwrap();
        beat.await.unwrap();
        assert!(frozen.leads());
    }
}

#[tokio::test]
async fn one_of_several_waiting_processes_takes_the_lease() {
    for test in test_databases().await {
        let dead = candidate(&test).await;
        let (mut one, mut two) = (candidate(&test).await, candidate(&test).await);
        drop(dead);
        one.pass(LEASE);
        two.pass(LEASE);
        let (first, second) = tokio::join!(one.beat(), two.beat());
        first.unwrap();
        second.unwrap();
        assert!(one.leads() != two.leads());
    }
}

#[tokio::test]
async fn setting_the_wall_clock_does_not_move_leadership() {
    for test in test_databases().await {
        let (one, mut two) = (candidate(&test).await, candidate(&test).await);
        for hours in [-30, 30] {
            let (day, now) = (chrono::TimeDelta::hours(hours), one.clock.now());
            one.clock.set(now + day);
            two.clock.set(now - day);
            two.beat().await.unwrap();
            assert!(one.leads() && !two.leads());
        }
    }
}

#[tokio::test]
async fn a_graceful_stop_releases_the_lease_at_once() {
    for test in test_databases().await {
        let one = candidate(&test).await;
        let mut two = candidate(&test).await;
        one.resign().await.unwrap();
        assert!(!one.leads());
        two.beat().await.unwrap();
        assert!(two.leads());
        one.resign().await.unwrap();
        two.beat().await.unwrap();
        assert!(two.leads(), "only the holder can release the lease");
    }
}
