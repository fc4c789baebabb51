//! Jobs claimed without a message: unpublished ones, lost messages, retries, and claims whose answer was lost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use entities::JobId;
use entities::audit_entry::Actor;
use entities::job::claim::{self, Available};
use entities::job::insert::{self, NewJob};
use entities::job::{Class, JobMessage, State};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, Slots};
use queue::{Answer, Enqueued, Payload};
use serde_json::json;
use testkit::eventually;

use crate::fixture::{Fixture, Mode, NET_AFTER, WAIT_LIMIT, both_modes};
use crate::kinds::{Echo, registry};

fn echo() -> Echo {
    Echo { text: String::new() }
}

/// Notes the order in which jobs run.
#[derive(Clone, Default)]
struct Order(Arc<Mutex<Vec<String>>>);

impl Handler for Order {
    type Payload = Echo;

    async fn run(&self, _: &JobContext, payload: Echo) -> Result<Outcome, JobError> {
        self.0.lock().unwrap().push(payload.text);
        Ok(Outcome::done(json!({})))
    }
}

both_modes! {
    async fn a_job_without_a_message_is_claimed_after_two_seconds(fixture: Fixture) {
        fixture.work();
        let job = fixture.enqueue(&echo()).await.job;
        assert!(fixture.call(&echo()).await.is_some());
        assert_eq!(fixture.row(job).await.state, State::Queued, "its message has two seconds");
        fixture.advance(NET_AFTER).await;
        fixture.wait_for(job, State::Succeeded).await;
    }

    async fn only_jobs_overtaken_by_a_newer_message_are_claimed_without_theirs(fixture: Fixture) {
        let first = fixture.enqueue(&echo()).await.job;
        fixture.advance(NET_AFTER).await;
        let second = fixture.enqueue(&echo()).await.job;
        fixture.advance(NET_AFTER).await;
        let (conn, newest) = (fixture.context.database.write(), fixture.row(second).await.run_at);
        let wanted = Available {
            class: Class::Default,
            kinds: &["echo"],
            since: NET_AFTER,
            overtaken: Some(newest),
            most: 10,
        };
        let now = fixture.context.clock.now();
        let claimed = claim::available(conn, wanted, "net", now).await.unwrap();
        assert_eq!(claimed.iter().map(|job| job.job_id).collect::<Vec<_>>(), [first]);
    }

    async fn more_jobs_than_slots_are_claimed_as_slots_become_free(fixture: Fixture) {
        let mut jobs = Vec::new();
        for _ in 0..40 {
            jobs.push(fixture.enqueue(&echo()).await.job);
        }
        fixture.advance(NET_AFTER).await;
        fixture.work();
        for job in jobs {
            // Jobs released by a turn have a message, or the safety net claims them later.
            fixture.wait_for(job, State::Succeeded).await;
        }
    }

    async fn a_message_is_taken_while_the_safety_net_always_finds_old_jobs(fixture: Fixture) {
        let old = |_| NewJob {
            id: JobId(uuid::Uuid::now_v7()),
            guild: None,
            parent: None,
            kind: Echo::KIND,
            class: Echo::CLASS,
            args: json!(Echo { text: "old".to_owned() }),
            max_attempts: 1,
            dedupe_key: None,
            total: 0,
            actor: Actor::service(),
            traceparent: None,
        };
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        insert::insert(conn, (0..300).map(old).collect(), now).await.unwrap();
        fixture.advance(NET_AFTER).await;
        let new = fixture.enqueue(&Echo { text: "new".to_owned() }).await;
        fixture.queue.publish(new.message);
        let run = Order::default();
        let slots = Slots { default: 1, ..Slots::default() };
        queue::run::run(&fixture.queue, Registry::default().with(run.clone()), slots);
        fixture.wait_for(new.job, State::Succeeded).await;
        let before = run.0.lock().unwrap().iter().filter(|text| *text == "old").count();
        assert!(before < 300, "the message waited until the safety net had found nothing more");
    }

    async fn a_caller_whose_message_is_lost_gets_its_answer_from_the_row(fixture: Fixture) {
        fixture.work();
        let Enqueued { message, job, joined } = fixture.enqueue(&echo()).await;
        let lost = message.map(|message| JobMessage { token: -1, ..message });
        let queue = fixture.queue.clone();
        let enqueued = Enqueued { message: lost, job, joined };
        let caller = tokio::spawn(async move { queue.call(enqueued, WAIT_LIMIT).await.unwrap() });
        fixture.advance(NET_AFTER).await;
        assert!(matches!(caller.await.unwrap(), Some(Answer::Succeeded(_))));
    }

    async fn a_claim_whose_answer_was_lost_is_retried_by_its_own_process(fixture: Fixture) {
        fixture.work();
        let name = fixture.worker_name().await;
        let job = fixture.enqueue(&echo()).await.job;
        let stray = fixture.claim_as(fixture.row(job).await.message().published(), &name).await.unwrap();
        let retried = async || {
            fixture.advance(Duration::from_secs(1)).await;
            let row = fixture.row(job).await;
            (row.claim() != stray.claim() || row.state != State::Running).then_some(())
        };
        eventually("the stray claim is retried", WAIT_LIMIT, retried).await;
        assert_eq!(fixture.row(job).await.history()[0].error, "interrupted");
        fixture.advance(Duration::from_secs(2) + NET_AFTER).await;
        let row = fixture.wait_for(job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (2, 2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_gets_the_result_of_another_process() {
    let fixture = Fixture::start(Mode::Distributed).await;
    let (_context, other) = fixture.another_process().await;
    queue::run::run(&other, registry(), Slots::default());
    let enqueued = fixture.enqueue(&echo()).await;
    let job = enqueued.job;
    assert!(fixture.queue.call(enqueued, WAIT_LIMIT).await.unwrap().is_some());
    assert_eq!(fixture.row(job).await.worker, Some(fixture.worker_name().await));
}
