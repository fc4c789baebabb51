//! Turns: of one guild only its share of a class is in flight, and what is held is always released.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entities::audit_entry::Actor;
use entities::job::turns::share;
use entities::job::{Class, State};
use entities::{GuildId, JobId};
use queue::{Draft, Enqueued};

use crate::kinds::{Echo, Gate, Gated, Snoozes, SnoozesHandler, registry};
use crate::world::{World, both_modes};

impl World {
    /// So many jobs of the guild, each published if it may be.
    async fn flood(&self, jobs: u64) -> Vec<JobId> {
        let mut flood = Vec::new();
        for _ in 0..jobs {
            let Enqueued { ticket, job, .. } = self.enqueue(&Gated {}).await;
            self.queue.publish(ticket);
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
    async fn each_end_releases_the_next_and_no_more_than_the_share_is_in_flight(world: World) {
        assert_eq!(share(Class::Default), SHARE);
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let jobs = world.flood(SHARE + 4).await;
        for _ in 0..SHARE {
            gate.wait_for_entry().await;
        }
        assert_eq!(world.in_state(&jobs, State::Held).await, 4);
        for _ in 0..4 {
            gate.open.add_permits(1);
            gate.wait_for_entry().await;
        }
        gate.open.add_permits(4);
        for job in jobs {
            world.wait_for(job, State::Succeeded).await;
        }
        assert_eq!(gate.most.load(Ordering::SeqCst), i32::try_from(SHARE).unwrap());
    }

    async fn a_guild_that_floods_holds_up_no_other(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let jobs = world.flood(3 * SHARE).await;
        let other = GuildId::try_from(7_000_000_000_000_000_001).unwrap();
        world.add_guild(other).await;
        let draft = Draft::new(other, &Echo { text: String::new() }, Actor::service()).unwrap();
        let enqueued = world.enqueue_draft(draft).await;
        let answer = world.queue.call(enqueued, crate::world::PATIENCE).await.unwrap();
        assert!(answer.is_some());
        assert_eq!(world.in_state(&jobs, State::Held).await, 2 * SHARE);
    }

    async fn what_waits_for_its_time_takes_no_turn(world: World) {
        world.work_with(registry().with(SnoozesHandler(Arc::default())));
        for _ in 0..SHARE {
            let enqueued = world.enqueue(&Snoozes {}).await;
            world.queue.publish(enqueued.ticket);
            let snoozed = |row: &entities::job::Model| row.state == State::Queued && row.token == 1;
            world.wait_until(enqueued.job, snoozed).await;
        }
        assert!(world.call(&Echo { text: String::new() }).await.is_some());
    }

    async fn what_a_snooze_leaves_is_the_next_ones_turn(world: World) {
        for _ in 0..SHARE {
            let enqueued = world.enqueue(&Snoozes {}).await;
            world.queue.publish(enqueued.ticket);
        }
        let held = world.enqueue(&Echo { text: String::new() }).await;
        assert!(held.ticket.is_none());
        world.work_with(registry().with(SnoozesHandler(Arc::default())));
        world.wait_for(held.job, State::Succeeded).await;
    }

    async fn a_held_job_with_nothing_in_flight_is_released(world: World) {
        let jobs = world.flood(SHARE + 2).await;
        for job in &jobs[..4] {
            world.cancel(*job).await;
        }
        assert_eq!(world.in_state(&jobs, State::Held).await, 2, "nothing ended that would release them");
        let gate = Gate::new();
        gate.open.add_permits(2);
        world.work_with(registry().with(gate));
        world.queue.release_stranded().await.unwrap();
        for job in &jobs[4..] {
            world.wait_for(*job, State::Succeeded).await;
        }
    }

    async fn a_held_job_can_be_cancelled(world: World) {
        let jobs = world.flood(SHARE + 1).await;
        assert_eq!(world.cancel(jobs[4]).await.state, State::Cancelled);
    }
}
