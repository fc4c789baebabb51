//! Runs that end with their worker: taken over, put on the ladder, dead in the end; and what that does not do to others.

use std::time::Duration;

use entities::JobId;
use entities::job::{Model, State};
use queue::{LEASE, Payload, Replay};

use crate::kinds::{Echo, Gate, Gated, Panics, registry};
use crate::world::{World, both_modes};

/// So many losses burn no attempt (`entities::job::loss`).
const FREE: i32 = 2;

impl World {
    /// Has a worker claim the job and never say another word, until its lease has ended.
    async fn lose(&self, job: JobId) -> Model {
        self.claim(job).await.unwrap();
        self.context.clock.advance(LEASE + Duration::from_secs(1));
        assert_eq!(self.queue.take_back_expired().await.unwrap(), 1);
        self.row(job).await
    }

    /// The longest pause of the ladder passes.
    async fn promote(&self, job: JobId) -> Model {
        self.context.clock.advance(Duration::from_secs(3 * 60 * 60));
        assert_eq!(self.queue.promote_due().await.unwrap(), 1);
        self.row(job).await
    }
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn the_first_loss_is_free_then_the_ladder_then_attempts_then_dead(world: World) {
        let job = world.enqueue(&Panics {}).await.job;
        let first = world.lose(job).await;
        assert_eq!((first.state, first.attempt, first.losses), (State::Queued, 0, 1), "run again at once");
        for (losses, attempt, seconds) in [(2, 0, 1.0), (3, 1, 5.0)] {
            let row = world.lose(job).await;
            assert_eq!((row.state, row.attempt, row.losses), (State::Retrying, attempt, losses));
            let pause = (row.run_at.unwrap() - world.context.clock.now()).as_seconds_f64();
            assert!((seconds * 0.79..=seconds * 1.21).contains(&pause), "loss {losses}: {pause} s");
            assert_eq!(row.failure().unwrap().error, "worker_lost", "one sees why it waits");
            world.promote(job).await;
        }
        let row = world.lose(job).await;
        assert_eq!((row.state, row.attempt), (State::Dead, Panics::MAX_ATTEMPTS));
        assert_eq!(row.failure().unwrap().error, "worker_lost");
        let history: Vec<_> = row.history().into_iter().map(|lost| (lost.attempt, lost.error, lost.worker.unwrap())).collect();
        let lost = |attempt| (attempt, "worker_lost".to_owned(), "by-hand".to_owned());
        assert_eq!(history, [lost(1), lost(1), lost(1), lost(2)]);
    }

    async fn a_replayed_suspect_is_a_suspect_until_a_run_of_it_ends_by_itself(world: World) {
        let job = world.enqueue(&Panics {}).await.job;
        for _ in 0..FREE + Panics::MAX_ATTEMPTS {
            if world.row(job).await.state == State::Retrying {
                world.promote(job).await;
            }
            world.lose(job).await;
        }
        let dead = world.row(job).await;
        assert_eq!(dead.state, State::Dead);
        let transaction = world.context.database.begin().await.unwrap();
        let replayed = queue::replay(&transaction, &dead, world.context.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
        let Replay::Queued(row) = replayed else { panic!("{replayed:?}") };
        assert!(row.is_suspect() && row.attempt == 0 && row.history().len() == 4, "{row:?}");
        world.work();
        world.queue.publish([row.ticket()]);
        let row = world.wait_for(job, State::Retrying).await;
        assert_eq!((row.losses, row.attempt, row.history().len()), (0, 1, 5), "it panicked, its worker lives");
    }

    async fn of_two_suspects_one_runs_and_the_other_is_put_aside_unharmed(world: World) {
        let gate = Gate::new();
        let (one, two) = (world.enqueue(&Gated {}).await.job, world.enqueue(&Gated {}).await.job);
        for job in [one, two] {
            for _ in 0..FREE {
                world.lose(job).await;
            }
        }
        world.work_with(registry().with(gate.clone()));
        assert!(world.call(&echo()).await.is_some(), "rings of earlier are through");
        world.context.clock.advance(Duration::from_secs(60));
        assert_eq!(world.queue.promote_due().await.unwrap(), 2);
        gate.wait_for_entry().await;
        let (one, two) = match world.row(one).await.state {
            State::Running => (one, two),
            _ => (two, one),
        };
        let aside = world.wait_for(two, State::Retrying).await;
        assert_eq!((aside.attempt, aside.losses, aside.lease), (0, 2, 2), "never claimed beside the other");
        assert!(world.call(&echo()).await.is_some(), "a suspect stops nobody who is none");
        gate.open.add_permits(2);
        world.wait_for(one, State::Succeeded).await;
        world.context.clock.advance(Duration::from_secs(2));
        assert_eq!(world.queue.promote_due().await.unwrap(), 1);
        world.wait_for(two, State::Succeeded).await;
        assert_eq!(gate.most.load(std::sync::atomic::Ordering::SeqCst), 1);
    }

    async fn losses_are_forgotten_when_a_run_gives_its_job_back(world: World) {
        let job = world.enqueue(&echo()).await.job;
        world.lose(job).await;
        let held = entities::job::lifecycle::Held::of(&world.claim(job).await.unwrap());
        let (conn, now) = (world.context.database.write(), world.context.clock.now());
        let row = entities::job::lifecycle::give_back(conn, held, now, None).await.unwrap().unwrap();
        assert_eq!((row.losses, row.attempt, row.history().len()), (0, 0, 1));
    }

    async fn a_lost_job_that_was_to_be_cancelled_is(world: World) {
        let job = world.enqueue(&echo()).await.job;
        world.claim(job).await.unwrap();
        let transaction = world.context.database.begin().await.unwrap();
        world.queue.cancel(&transaction, job).await.unwrap();
        transaction.commit().await.unwrap();
        world.context.clock.advance(LEASE + Duration::from_secs(1));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 1);
        assert_eq!(world.row(job).await.state, State::Cancelled);
    }

    async fn the_history_keeps_the_newest_sixteen(world: World) {
        let job = world.enqueue(&echo()).await.job;
        world.execute("UPDATE job SET max_attempts = 100").await;
        for _ in 0..20 {
            if world.row(job).await.state == State::Retrying {
                world.promote(job).await;
            }
            world.lose(job).await;
        }
        let attempts: Vec<_> = world.row(job).await.history().iter().map(|lost| lost.attempt).collect();
        assert_eq!(attempts, (3..=18).collect::<Vec<_>>());
    }
}
