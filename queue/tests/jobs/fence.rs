//! Fencing tokens: only the latest claim can write, and a message claims only the run that it was published for.

use entities::JobId;
use entities::audit_entry::Actor;
use entities::job::insert::{self, NewJob};
use entities::job::run::{self, Ending, Requeue};
use entities::job::{Class, Model, Published, State, claim};
use serde_json::json;

use crate::fixture::{Fixture, Mode, both_modes, guild};
use crate::kinds::{Echo, Gate, Gated, registry};

async fn end(fixture: &Fixture, job: &Model) -> bool {
    let ending = Ending::Succeeded(json!({ "by": job.token }));
    let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
    run::end(conn, job, &ending, job.known(), now).await.unwrap().is_some()
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_is_claimed_once(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        let (one, two) = tokio::join!(fixture.claim(job), fixture.claim(job));
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }

    async fn a_late_worker_writes_nothing(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        let late = fixture.claim(job).await.unwrap();
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
        let conn = fixture.context.database.write();
        assert_eq!(run::confirm(conn, late.claim()).await.unwrap(), None);
        let newer = fixture.claim(job).await.unwrap();
        let now = fixture.context.clock.now();
        assert!(!end(fixture, &late).await);
        assert!(run::succeed(conn, &[(late.claim(), json!({}))], now).await.unwrap().is_empty());
        assert!(run::requeue(conn, &late, Requeue::default(), now).await.unwrap().is_none());
        assert!(end(fixture, &newer).await);
        assert!(!end(fixture, &newer).await, "an ended job does not end again");
        assert_eq!(fixture.row(job).await.result, Some(json!({ "by": newer.token })));
    }

    async fn a_token_that_a_failover_gave_out_twice_is_worth_nothing_to_the_first_process(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        let published = Published { job, token: 0 };
        let first = fixture.claim_as(published, "first").await.unwrap();
        // The promoted standby does not know the claim.
        fixture.execute("UPDATE job SET state = 'queued', token = 0, attempt = 0, worker = NULL").await;
        let second = fixture.claim_as(published, "second").await.unwrap();
        assert_eq!(first.token, second.token);
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        assert_eq!(run::confirm(conn, first.claim()).await.unwrap(), None);
        assert!(!end(fixture, &first).await);
        assert!(run::succeed(conn, &[(first.claim(), json!({}))], now).await.unwrap().is_empty());
        let both = [(first.claim(), json!({ "by": 1 })), (second.claim(), json!({ "by": 2 }))];
        assert_eq!(run::succeed(conn, &both, now).await.unwrap().len(), 1);
        assert_eq!(fixture.row(job).await.result, Some(json!({ "by": 2 })));
    }

    async fn a_late_message_does_not_claim_a_newer_run(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        let first = fixture.claim(job).await.unwrap();
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        run::requeue(conn, &first, Requeue::default(), now).await.unwrap().unwrap();
        assert_eq!(fixture.claim_as(Published { job, token: 0 }, "late").await, None);
        assert!(fixture.claim_as(Published { job, token: 1 }, "in time").await.is_some());
    }

    async fn further_messages_for_a_running_job_change_nothing(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let enqueued = fixture.enqueue(&Gated {}).await;
        let message = enqueued.message.unwrap();
        fixture.queue.publish([message.clone(), message.clone()]);
        gate.wait_for_entry().await;
        fixture.queue.publish([message]);
        assert!(fixture.call(&echo()).await.is_some(), "the messages before it are handled");
        gate.open.add_permits(1);
        let row = fixture.wait_for(enqueued.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (1, 1));
    }
}

/// The same claims in several orders.
fn orders<C: Clone>(claims: &[C]) -> Vec<Vec<C>> {
    (0..8)
        .map(|order| {
            let mut claims = claims.to_vec();
            let by = order * claims.len() / 8;
            claims.rotate_left(by);
            if order % 2 == 1 {
                claims.reverse();
            }
            claims
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlapping_batches_of_claims_and_ends_do_not_deadlock() {
    let fixture = Fixture::start(Mode::Distributed).await;
    let (database, now) = (fixture.context.database.clone(), fixture.context.clock.now());
    for _ in 0..10 {
        let claims: Vec<Published> = (0..claim::most(true))
            .map(|_| Published { job: JobId(uuid::Uuid::now_v7()), token: 0 })
            .collect();
        let rows = claims.iter().map(|claim| job(claim.job)).collect();
        insert::insert(database.write(), rows, now).await.unwrap();
        let claiming = orders(&claims).into_iter().map(|order| {
            let database = database.clone();
            tokio::spawn(async move { claim::published(database.write(), &order, "by-hand", now).await })
        });
        let mut claimed = Vec::new();
        for batch in futures_util::future::join_all(claiming).await {
            claimed.extend(batch.unwrap().unwrap().iter().map(Model::claim));
        }
        assert!(claimed.len() >= claim::most(true) / 2, "{} were claimed", claimed.len());
        let ending = orders(&claimed).into_iter().map(|order| {
            let database = database.clone();
            let ended: Vec<_> = order.into_iter().map(|claim| (claim, json!({}))).collect();
            tokio::spawn(async move { run::succeed(database.write(), &ended, now).await })
        });
        let mut ended = 0;
        for batch in futures_util::future::join_all(ending).await {
            ended += batch.unwrap().unwrap().len();
        }
        assert_eq!(ended, claimed.len(), "each ends once");
    }
}

fn job(id: JobId) -> NewJob {
    NewJob {
        id,
        guild: Some(guild()),
        parent: None,
        kind: "echo",
        // A class without turns.
        class: Class::Quarantine,
        args: json!({ "text": "" }),
        max_attempts: 8,
        dedupe_key: None,
        total: 0,
        actor: Actor::service(),
        traceparent: None,
    }
}
