//! Turns: a guild has at most its share of a class in flight, and held jobs are always released.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entities::audit_entry::Actor;
use entities::job::turns::share;
use entities::job::{Class, State};
use entities::{GuildId, JobId};
use queue::{Draft, Enqueued};

use crate::fixture::{Fixture, both_modes};
use crate::kinds::{Echo, Gate, Gated, Snoozes, SnoozesHandler, registry};

impl Fixture {
    /// Enqueues this many jobs of the guild, and publishes those that are not held.
    async fn flood(&self, jobs: u64) -> Vec<JobId> {
        let mut flood = Vec::new();
        for _ in 0..jobs {
            let Enqueued { message, job, .. } = self.enqueue(&Gated {}).await;
            self.queue.publish(message);
            flood.push(job);
        }
        flood
    }

    async fn in_state(&self, jobs: &[JobId], state: State) -> u64 {
        let mut count = 0;
        for job in jobs {
            count += u64::from(self.row(*job).await.state == state);
        }
        count
    }
}

const SHARE: u64 = 4;

both_modes! {
    async fn each_end_releases_the_next_and_no_more_than_the_share_is_in_flight(fixture: Fixture) {
        assert_eq!(share(Class::Default), SHARE);
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let jobs = fixture.flood(SHARE + 4).await;
        for _ in 0..SHARE {
            gate.wait_for_entry().await;
        }
        assert_eq!(fixture.in_state(&jobs, State::Held).await, 4);
        for _ in 0..4 {
            gate.open.add_permits(1);
            gate.wait_for_entry().await;
        }
        gate.open.add_permits(4);
        for job in jobs {
            fixture.wait_for(job, State::Succeeded).await;
        }
        assert_eq!(gate.most.load(Ordering::SeqCst), i32::try_from(SHARE).unwrap());
    }

    async fn a_guild_with_many_jobs_delays_no_other_guild(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let jobs = fixture.flood(3 * SHARE).await;
        let other = GuildId::try_from(7_000_000_000_000_000_001).unwrap();
        fixture.add_guild(other).await;
        let draft = Draft::new(other, &Echo { text: String::new() }, Actor::service()).unwrap();
        let enqueued = fixture.enqueue_draft(draft).await;
        let answer = fixture.queue.call(enqueued, crate::fixture::WAIT_LIMIT).await.unwrap();
        assert!(answer.is_some());
        assert_eq!(fixture.in_state(&jobs, State::Held).await, 2 * SHARE);
    }

    async fn a_job_in_its_backoff_takes_no_turn(fixture: Fixture) {
        fixture.work_with(registry().with(SnoozesHandler(Arc::default())));
        for _ in 0..SHARE {
            let enqueued = fixture.enqueue(&Snoozes {}).await;
            fixture.queue.publish(enqueued.message);
            let snoozed = |row: &entities::job::Model| row.state == State::Queued && row.token == 1;
            fixture.wait_until(enqueued.job, snoozed).await;
        }
        assert!(fixture.call(&Echo { text: String::new() }).await.is_some());
    }

    async fn a_snooze_releases_the_next_job(fixture: Fixture) {
        for _ in 0..SHARE {
            let enqueued = fixture.enqueue(&Snoozes {}).await;
            fixture.queue.publish(enqueued.message);
        }
        let held = fixture.enqueue(&Echo { text: String::new() }).await;
        assert!(held.message.is_none());
        fixture.work_with(registry().with(SnoozesHandler(Arc::default())));
        fixture.wait_for(held.job, State::Succeeded).await;
    }

    async fn a_held_job_with_nothing_in_flight_is_released(fixture: Fixture) {
        let jobs = fixture.flood(SHARE + 2).await;
        for job in &jobs[..4] {
            fixture.cancel(*job).await;
        }
        assert_eq!(fixture.in_state(&jobs, State::Held).await, 2, "nothing ended that would release them");
        let gate = Gate::new();
        gate.open.add_permits(2);
        fixture.work_with(registry().with(gate));
        fixture.queue.release_stranded().await.unwrap();
        for job in &jobs[4..] {
            fixture.wait_for(*job, State::Succeeded).await;
        }
    }

    async fn a_held_job_can_be_cancelled(fixture: Fixture) {
        let jobs = fixture.flood(SHARE + 1).await;
        assert_eq!(fixture.cancel(jobs[4]).await.state, State::Cancelled);
    }
}
