//! One job from enqueue to answer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use entities::JobId;
use entities::job::lifecycle::{self, Ending};
use entities::job::{Model, State};
use queue::{Answer, Draft, LEASE, Replay};
use serde_json::json;

use crate::kinds::{
    Block, Blocks, Echo, FailsUntil, Gate, Gated, NeverEnds, NeverEndsHandler, Panics, PanicsWhenCut,
    PanicsWhenCutHandler, Refuses, registry,
};
use crate::world::{World, both_modes, guild};

fn echo(text: &str) -> Echo {
    Echo { text: text.to_owned() }
}

async fn replay(world: &World, job: &Model) -> Model {
    let transaction = world.context.database.begin().await.unwrap();
    let replayed = queue::replay(&transaction, job, world.context.clock.now()).await.unwrap();
    transaction.commit().await.unwrap();
    let Replay::Queued(row) = replayed else { panic!("{replayed:?}") };
    *row
}

both_modes! {
    async fn a_caller_gets_the_result_and_the_row_says_the_same(world: World) {
        world.work();
        let enqueued = world.enqueue(&echo("hello")).await;
        let job = enqueued.job;
        let answer = world.queue.call(enqueued, crate::world::PATIENCE).await.unwrap();
        assert_eq!(answer, Some(Answer::Succeeded(json!({ "text": "hello" }))));
        let row = world.row(job).await;
        assert_eq!((row.state, row.attempt, row.lease), (State::Succeeded, 1, 1));
        assert_eq!(row.result, Some(json!({ "text": "hello" })));
        assert!(row.finished_at.is_some() && row.lease_until.is_none());
    }

    async fn a_call_without_a_worker_ends_at_its_time_and_the_job_stays(world: World) {
        let enqueued = world.enqueue(&echo("later")).await;
        let job = enqueued.job;
        let answer = world.queue.call(enqueued, Duration::from_millis(50)).await.unwrap();
        assert_eq!(answer, None);
        assert_eq!(world.row(job).await.state, State::Queued);
        world.work();
        world.wait_for(job, State::Succeeded).await;
    }

    async fn a_failure_that_cannot_be_mended_is_told_at_once(world: World) {
        world.work();
        let Some(Answer::Failed(failure)) = world.call(&Refuses {}).await else { panic!("not a failure") };
        assert_eq!((failure.status, failure.error.as_str()), (404, "not_there"));
    }

    async fn a_failed_try_waits_on_the_ladder_and_its_caller_hears_of_the_next(world: World) {
        world.work();
        let enqueued = world.enqueue(&FailsUntil { attempt: 2 }).await;
        let job = enqueued.job;
        let queue = world.queue.clone();
        let caller = tokio::spawn(async move { queue.call(enqueued, crate::world::PATIENCE).await.unwrap() });
        let row = world.wait_for(job, State::Retrying).await;
        let pause = row.run_at.unwrap() - world.context.clock.now();
        assert!((800..=1200).contains(&pause.num_milliseconds()), "{pause}");
        assert_eq!(world.queue.promote_due().await.unwrap(), 0, "not before its time");
        world.context.clock.advance(Duration::from_millis(1200));
        assert_eq!(world.queue.promote_due().await.unwrap(), 1);
        assert_eq!(caller.await.unwrap(), Some(Answer::Succeeded(json!({ "attempt": 2 }))));
        assert_eq!(world.row(job).await.error, None, "the error of a try is not the job's");
    }

    async fn a_job_is_dead_when_its_attempts_are_used_up_and_can_be_replayed(world: World) {
        world.work();
        let job = world.enqueue(&FailsUntil { attempt: 99 }).await;
        let id = job.job;
        world.queue.publish(job.ticket);
        for _ in 0..2 {
            world.wait_for(id, State::Retrying).await;
            world.context.clock.advance(Duration::from_secs(60));
            world.queue.promote_due().await.unwrap();
        }
        let row = world.wait_for(id, State::Dead).await;
        assert_eq!(row.attempt, 3);
        assert_eq!(row.failure().unwrap().error, "not_yet");
        let errors = |row: &Model| row.history().iter().map(|try_| (try_.attempt, try_.error.clone())).collect::<Vec<_>>();
        let not_yet = [1, 2, 3].map(|attempt| (attempt, "not_yet".to_owned()));
        assert_eq!(errors(&row), not_yet);
        let replayed = replay(&world, &row).await;
        assert_eq!((replayed.state, replayed.attempt), (State::Queued, 0));
        assert_eq!(errors(&replayed), not_yet, "what went before is kept");
        world.context.clock.advance(Duration::from_secs(2));
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 1);
        world.wait_for(id, State::Retrying).await;
    }

    async fn a_panic_is_retried_then_dead_and_harms_no_neighbour(world: World) {
        world.work();
        let job = world.enqueue(&Panics {}).await;
        let id = job.job;
        world.queue.publish(job.ticket);
        world.wait_for(id, State::Retrying).await;
        assert_eq!(world.call(&echo("still here")).await, Some(Answer::Succeeded(json!({ "text": "still here" }))));
        world.context.clock.advance(Duration::from_secs(60));
        world.queue.promote_due().await.unwrap();
        let row = world.wait_for(id, State::Dead).await;
        assert_eq!(row.failure().unwrap().error, "panic");
    }

    async fn only_what_has_failed_and_has_no_twin_is_run_again(world: World) {
        let replayed = async |job: JobId| {
            let row = world.row(job).await;
            let transaction = world.context.database.begin().await.unwrap();
            let replayed = queue::replay(&transaction, &row, world.context.clock.now()).await.unwrap();
            transaction.commit().await.unwrap();
            replayed
        };
        let draft = || Draft::new(guild(), &echo("x"), entities::audit_entry::Actor::service()).unwrap().once("all");
        let first = world.enqueue_draft(draft()).await.job;
        assert_eq!(replayed(first).await, Replay::NotFailed(State::Queued));
        let now = world.context.clock.now();
        let failed = Ending::Failed(queue::run::failure(404, "not_there", "as the test wants it"));
        let claimed = world.claim(first).await.unwrap();
        assert!(lifecycle::finish(world.context.database.write(), &claimed, &failed, None, now).await.unwrap());
        let second = world.enqueue_draft(draft()).await.job;
        assert_eq!(replayed(first).await, Replay::Twin(second));
        let chunk = Draft::new(guild(), &echo("x"), entities::audit_entry::Actor::service()).unwrap().chunk_of(first);
        let chunk_id = chunk.id();
        chunk.insert_waiting(world.context.database.write(), now).await.unwrap();
        assert_eq!(replayed(chunk_id).await, Replay::PartOf(first));
        world.work();
        world.queue.publish([world.row(second).await.ticket()]);
        world.wait_for(second, State::Succeeded).await;
        assert!(matches!(replayed(first).await, Replay::Queued(_)), "the twin has ended");
        assert_eq!(replayed(second).await, Replay::NotFailed(State::Succeeded));
    }

    async fn a_job_that_never_ends_is_cut_retried_and_dead(world: World) {
        world.work_with(registry().with(NeverEndsHandler));
        let job = world.enqueue(&NeverEnds {}).await;
        world.queue.publish(job.ticket);
        world.wait_for(job.job, State::Retrying).await;
        assert!(world.call(&echo("beside it")).await.is_some());
        world.context.clock.advance(Duration::from_secs(60));
        world.queue.promote_due().await.unwrap();
        let row = world.wait_for(job.job, State::Dead).await;
        let words: Vec<_> = row.history().into_iter().map(|cut| cut.error).collect();
        assert_eq!(words, ["timed_out", "timed_out"]);
    }

    async fn a_job_that_panics_when_it_is_cut_is_retried_and_costs_no_slot(world: World) {
        world.work_with(registry().with(PanicsWhenCutHandler));
        let job = world.enqueue(&PanicsWhenCut {}).await;
        world.queue.publish(job.ticket);
        let row = world.wait_for(job.job, State::Retrying).await;
        assert_eq!(row.failure().unwrap().error, "panic");
        world.context.clock.advance(Duration::from_secs(60));
        world.queue.promote_due().await.unwrap();
        world.wait_for(job.job, State::Dead).await;
        assert!(world.call(&echo("still here")).await.is_some());
    }

    async fn a_suspect_that_holds_its_thread_holds_up_nobody_else(world: World) {
        let block = Block::default();
        world.work_with(registry().with(block.clone()));
        let held = world.enqueue(&Blocks {}).await;
        world.execute("UPDATE job SET losses = 2").await;
        world.queue.publish(held.ticket);
        while !block.entered.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for _ in 0..20 {
            assert!(world.call(&echo("beside it")).await.is_some());
        }
        // Its heartbeats stand still with it, so its lease ends; the ring for it is for another process.
        world.context.clock.advance(LEASE + Duration::from_secs(1));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 1);
        assert!(world.call(&echo("after it was taken back")).await.is_some());
        assert_eq!(world.row(held.job).await.losses, 3);
        block.over.store(true, Ordering::SeqCst);
        assert!(world.call(&echo("and now")).await.is_some());
        world.context.clock.advance(Duration::from_secs(60));
        assert_eq!(world.queue.promote_due().await.unwrap(), 1);
        let row = world.wait_for(held.job, State::Succeeded).await;
        assert_eq!(row.lease, 2, "what the first run did in the end is not its to say any more");
    }

    async fn a_kind_this_worker_does_not_know_stays_queued(world: World) {
        world.work();
        let enqueued = world.enqueue(&Gated {}).await;
        let job = enqueued.job;
        assert_eq!(world.queue.call(enqueued, Duration::from_millis(300)).await.unwrap(), None);
        assert_eq!(world.row(job).await.state, State::Queued);
    }

    async fn the_second_of_two_equal_jobs_finds_the_first(world: World) {
        let draft = || Draft::new(guild(), &echo("x"), entities::audit_entry::Actor::service()).unwrap().once("all");
        let first = world.enqueue_draft(draft()).await;
        let second = world.enqueue_draft(draft()).await;
        assert!(first.ticket.is_some() && second.ticket.is_none());
        assert_eq!(first.job, second.job);
        world.work();
        world.queue.publish(first.ticket);
        world.wait_for(first.job, State::Succeeded).await;
        let third = world.enqueue_draft(draft()).await;
        assert!(third.ticket.is_some() && third.job != first.job, "only an unfinished job stands in the way");
    }

    async fn cancelling_ends_a_waiting_job_at_once_and_a_running_one_at_its_next_step(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let running = world.enqueue(&Gated {}).await;
        world.queue.publish(running.ticket);
        gate.wait_for_entry().await;
        let waiting = world.enqueue(&echo("never")).await;
        for job in [running.job, waiting.job] {
            let transaction = world.context.database.begin().await.unwrap();
            let row = world.queue.cancel(&transaction, job).await.unwrap().unwrap();
            transaction.commit().await.unwrap();
            assert!(row.cancel_requested);
            world.queue.announce_cancel(job).await.unwrap();
        }
        assert_eq!(world.row(waiting.job).await.state, State::Cancelled);
        world.wait_for(running.job, State::Cancelled).await;
    }

    async fn shutdown_lets_a_run_end_and_a_cut_gives_it_back_without_burning_the_attempt(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let job = world.enqueue(&Gated {}).await;
        world.queue.publish(job.ticket);
        gate.wait_for_entry().await;
        world.context.shutdown.begin();
        assert_eq!(world.row(job.job).await.state, State::Running);
        world.context.shutdown.cut();
        let row = world.wait_for(job.job, State::Queued).await;
        assert_eq!((row.attempt, row.lease), (0, 1));
    }
}
