//! Paused jobs are not claimed, by message or safety net, until they are resumed.

use entities::job::{Class, State};
use entities::job_pause::{self, Note, Scope};

use crate::fixture::{Fixture, NET_AFTER, both_modes, guild};
use crate::kinds::{Echo, Gate, Gated, registry};

async fn pause_and_resume(fixture: &Fixture, scope: Scope) {
    let gate = Gate::new();
    fixture.work_with(registry().with(gate.clone()));
    let running = fixture.enqueue(&Gated {}).await;
    fixture.queue.publish(running.message);
    gate.wait_for_entry().await;
    let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
    assert!(job_pause::create(conn, scope, Note::default(), now).await.unwrap());
    assert!(!job_pause::create(conn, scope, Note::default(), now).await.unwrap(), "paused already");
    let paused = fixture.enqueue(&Echo { text: String::new() }).await;
    let claim = fixture.row(paused.job).await.message().published();
    assert_eq!(fixture.claim_as(claim, "by message").await, None);
    assert!(net(fixture).await.is_empty(), "the safety net");
    gate.open.add_permits(1);
    fixture.wait_for(running.job, State::Succeeded).await;
    assert_eq!(fixture.row(paused.job).await.state, State::Queued);
    assert!(job_pause::delete(conn, scope).await.unwrap());
    assert!(!job_pause::delete(conn, scope).await.unwrap());
    fixture.advance(NET_AFTER).await;
    fixture.wait_for(paused.job, State::Succeeded).await;
}

/// The jobs that the safety net of a worker claims now.
async fn net(fixture: &Fixture) -> Vec<entities::job::Model> {
    let wanted = entities::job::claim::Available {
        class: Class::Default,
        kinds: &["echo"],
        since: std::time::Duration::ZERO,
        overtaken: None,
        most: 10,
    };
    let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
    entities::job::claim::available(conn, wanted, "net", now).await.unwrap()
}

both_modes! {
    async fn a_class(fixture: Fixture) {
        pause_and_resume(fixture, Scope::Class(Class::Default)).await;
    }

    async fn a_guild(fixture: Fixture) {
        pause_and_resume(fixture, Scope::Guild(guild())).await;
    }

    async fn a_pause_of_another_class_changes_nothing(fixture: Fixture) {
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        job_pause::create(conn, Scope::Class(Class::Bulk), Note::default(), now).await.unwrap();
        fixture.work();
        assert!(fixture.call(&Echo { text: String::new() }).await.is_some());
    }
}
