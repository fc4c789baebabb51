//! Fencing tokens: of two who believe they run a job only the later one writes, and a message claims what it was
//! published for.

use entities::job::run::{self, Ending, Requeue};
use entities::job::{Claim, Model, State};
use serde_json::json;

use crate::kinds::{Echo, Gate, Gated, registry};
use crate::world::{World, both_modes};

async fn end(world: &World, job: &Model) -> bool {
    let ending = Ending::Succeeded(json!({ "by": job.token }));
    let (conn, now) = (world.context.database.write(), world.context.clock.now());
    run::end(conn, job, &ending, job.progress(), now).await.unwrap().is_some()
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_is_claimed_once(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let (one, two) = tokio::join!(world.claim(job), world.claim(job));
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }

    async fn a_late_worker_writes_nothing(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let late = world.claim(job).await.unwrap();
        assert_eq!(world.queue.rescue_orphaned().await.unwrap(), 1);
        let conn = world.context.database.write();
        assert_eq!(run::confirm(conn, late.claim()).await.unwrap(), None);
        let newer = world.claim(job).await.unwrap();
        let now = world.context.clock.now();
        assert!(!end(&world, &late).await);
        assert!(run::succeed(conn, &[(late.claim(), json!({}))], now).await.unwrap().is_empty());
        assert!(run::requeue(conn, &late, Requeue::default(), now).await.unwrap().is_none());
        assert!(end(&world, &newer).await);
        assert!(!end(&world, &newer).await, "an ended job does not end again");
        assert_eq!(world.row(job).await.result, Some(json!({ "by": newer.token })));
    }

    async fn a_late_message_claims_no_newer_run(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let first = world.claim(job).await.unwrap();
        let (conn, now) = (world.context.database.write(), world.context.clock.now());
        run::requeue(conn, &first, Requeue::default(), now).await.unwrap().unwrap();
        assert_eq!(world.claim_as(Claim { job, token: 0 }, "late").await, None);
        assert!(world.claim_as(Claim { job, token: 1 }, "in time").await.is_some());
    }

    async fn further_messages_for_a_running_job_change_nothing(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let enqueued = world.enqueue(&Gated {}).await;
        let ticket = enqueued.ticket.unwrap();
        world.queue.publish([ticket.clone(), ticket.clone()]);
        gate.wait_for_entry().await;
        world.queue.publish([ticket]);
        assert!(world.call(&echo()).await.is_some(), "the other messages are through");
        gate.open.add_permits(1);
        let row = world.wait_for(enqueued.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (1, 1));
    }
}
