//! One job from enqueue to answer.

use std::sync::Arc;
use std::time::Duration;

use entities::job::{Model, State, Status};
use queue::{Answer, Draft, Payload};
use serde_json::json;

use crate::fixture::{Fixture, Mode, NET_AFTER, both_modes, guild};
use crate::kinds::{
    Block, Blocks, Echo, FailsUntil, Gate, Gated, NeverEnds, NeverEndsHandler, Panics, PanicsWhenCut,
    PanicsWhenCutHandler, Refuses, Snoozes, SnoozesHandler, registry,
};

fn echo(text: &str) -> Echo {
    Echo { text: text.to_owned() }
}

both_modes! {
    async fn a_caller_gets_the_result_of_the_row(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&echo("hello")).await;
        let job = enqueued.job;
        let answer = fixture.queue.call(enqueued, crate::fixture::WAIT_LIMIT).await.unwrap();
        assert_eq!(answer, Some(Answer::Succeeded(json!({ "text": "hello" }))));
        let row = fixture.row(job).await;
        assert_eq!((row.state, row.attempt, row.token), (State::Succeeded, 1, 1));
        assert_eq!(row.result, Some(json!({ "text": "hello" })));
        assert!(row.finished_at.is_some());
    }

    async fn a_call_without_a_worker_times_out_and_the_job_stays_queued(fixture: Fixture) {
        let enqueued = fixture.enqueue(&echo("later")).await;
        let job = enqueued.job;
        let answer = fixture.queue.call(enqueued, Duration::from_millis(50)).await.unwrap();
        assert_eq!(answer, None);
        assert_eq!(fixture.row(job).await.state, State::Queued);
        fixture.work();
        fixture.wait_for(job, State::Succeeded).await;
    }

    async fn a_permanent_failure_is_answered_at_once(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&Refuses {}).await;
        let job = enqueued.job;
        let answer = fixture.queue.call(enqueued, crate::fixture::WAIT_LIMIT).await.unwrap();
        let Some(Answer::Failed(failure)) = answer else { panic!("not a failure") };
        assert_eq!((failure.status, failure.error.as_str()), (404, "not_there"));
        assert_eq!(fixture.row(job).await.progress_at, None, "it has no progress");
    }

    async fn a_failed_attempt_waits_for_the_backoff_and_the_caller_gets_the_next_result(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&FailsUntil { attempt: 2 }).await;
        let job = enqueued.job;
        let queue = fixture.queue.clone();
        let caller = tokio::spawn(async move { queue.call(enqueued, crate::fixture::WAIT_LIMIT).await.unwrap() });
        let row = fixture.wait_until(job, |row| row.error.is_some()).await;
        let pause = row.run_at - fixture.context.clock.now();
        assert!((800..=1200).contains(&pause.num_milliseconds()), "{pause}");
        assert_eq!(row.status(fixture.context.clock.now()), Status::Retrying);
        fixture.advance(Duration::from_secs(1) + NET_AFTER).await;
        assert_eq!(caller.await.unwrap(), Some(Answer::Succeeded(json!({ "attempt": 2 }))));
        assert_eq!(fixture.row(job).await.error, None, "the error of an attempt is not the job's");
    }

    async fn a_snooze_burns_no_attempt_and_its_pause_has_jitter(fixture: Fixture) {
        fixture.work_with(registry().with(SnoozesHandler(Arc::default())));
        let enqueued = fixture.enqueue(&Snoozes {}).await;
        fixture.queue.publish(enqueued.message);
        for run in 1..=2 * i64::from(Snoozes::MAX_ATTEMPTS) {
            let snoozed = |row: &Model| row.state == State::Queued && row.token == run;
            let row = fixture.wait_until(enqueued.job, snoozed).await;
            assert_eq!((row.attempt, row.history().len()), (0, 0));
            assert_eq!(row.failure().unwrap().error, "busy", "the row names the reason of the wait");
            let pause = (row.run_at - fixture.context.clock.now()).as_seconds_f64();
            assert!((479.0..=721.0).contains(&pause), "{pause}");
            fixture.advance(Duration::from_secs(720) + NET_AFTER).await;
        }
        let row = fixture.wait_for(enqueued.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.error), (1, None));
    }

    async fn a_panic_is_retried_until_dead_and_affects_no_other_job(fixture: Fixture) {
        fixture.work();
        let job = fixture.enqueue(&Panics {}).await;
        fixture.queue.publish(job.message);
        fixture.wait_until(job.job, |row| row.error.is_some()).await;
        assert_eq!(fixture.call(&echo("still here")).await, Some(Answer::Succeeded(json!({ "text": "still here" }))));
        assert_eq!(fixture.exhaust(job.job).await.failure().unwrap().error, "panic");
    }

    async fn a_job_over_its_time_limit_is_retried_until_dead(fixture: Fixture) {
        fixture.work_with(registry().with(NeverEndsHandler));
        let job = fixture.enqueue(&NeverEnds {}).await;
        fixture.queue.publish(job.message);
        fixture.wait_until(job.job, |row| row.error.is_some()).await;
        assert!(fixture.call(&echo("beside it")).await.is_some());
        let row = fixture.exhaust(job.job).await;
        let words: Vec<_> = row.history().into_iter().map(|cut| cut.error).collect();
        assert_eq!(words, ["timed_out", "timed_out"]);
    }

    async fn a_panic_while_a_run_is_dropped_is_retried_and_leaks_no_slot(fixture: Fixture) {
        fixture.work_with(registry().with(PanicsWhenCutHandler));
        let job = fixture.enqueue(&PanicsWhenCut {}).await;
        fixture.queue.publish(job.message);
        assert_eq!(fixture.exhaust(job.job).await.failure().unwrap().error, "panic");
        assert!(fixture.call(&echo("still here")).await.is_some());
    }

    async fn a_job_of_an_unknown_kind_stays_queued(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&Gated {}).await;
        let job = enqueued.job;
        assert_eq!(fixture.queue.call(enqueued, Duration::from_millis(300)).await.unwrap(), None);
        assert_eq!(fixture.row(job).await.state, State::Queued);
    }

    async fn a_duplicate_joins_the_unfinished_job(fixture: Fixture) {
        let draft = || Draft::new(guild(), &echo("x"), entities::audit_entry::Actor::service()).unwrap().once("all");
        let first = fixture.enqueue_draft(draft()).await;
        let second = fixture.enqueue_draft(draft()).await;
        assert!(first.message.is_some() && second.message.is_none());
        assert_eq!(first.job, second.job);
        fixture.work();
        fixture.queue.publish(first.message);
        fixture.wait_for(first.job, State::Succeeded).await;
        let third = fixture.enqueue_draft(draft()).await;
        assert!(third.message.is_some() && third.job != first.job, "only an unfinished job stands in the way");
    }

    async fn a_queued_job_is_cancelled_at_once_and_a_running_one_at_its_next_step(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let running = fixture.enqueue(&Gated {}).await;
        fixture.queue.publish(running.message);
        gate.wait_for_entry().await;
        let waiting = fixture.enqueue(&echo("never")).await;
        for job in [running.job, waiting.job] {
            assert!(fixture.cancel(job).await.cancel_requested);
        }
        assert_eq!(fixture.row(waiting.job).await.state, State::Cancelled);
        fixture.wait_for(running.job, State::Cancelled).await;
    }

    async fn a_stop_lets_runs_end_and_requeues_the_others_without_a_burned_attempt(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let job = fixture.enqueue(&Gated {}).await;
        fixture.queue.publish(job.message);
        gate.wait_for_entry().await;
        fixture.context.shutdown.begin();
        assert_eq!(fixture.row(job.job).await.state, State::Running);
        fixture.context.shutdown.cut();
        let row = fixture.wait_for(job.job, State::Queued).await;
        assert_eq!((row.attempt, row.token), (0, 1));
    }
}

/// Its only thread: what the job blocks is moved to another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_quarantined_job_that_blocks_its_thread_delays_no_other_job() {
    for mode in [Mode::Embedded, Mode::Distributed] {
        let (fixture, block) = (Fixture::start(mode).await, Block::default());
        fixture.work_with(registry().with(block.clone()));
        let held = fixture.enqueue(&Blocks {}).await;
        fixture.execute("UPDATE job SET class = 'quarantine', crashes = 2").await;
        fixture.queue.publish([fixture.row(held.job).await.message()]);
        block.entered.acquire().await.unwrap().forget();
        for _ in 0..20 {
            assert!(fixture.call(&echo("beside it")).await.is_some());
        }
        block.over.wait();
        let row = fixture.wait_for(held.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (1, 1));
    }
}
