//! Syncs of a whole guild that are retried or undone (docs/rules.md 3 and 5).

use std::time::Duration;

use jobs::Retry;
use jobs::bulk_sync::UndoSync;
use queue::Answer;
use serde_json::json;

use crate::fixture::{Fixture, guild_id, until};
use crate::people::Person;
use crate::sync_all::{cancel, everybody, lacking};

const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";

#[tokio::test]
async fn a_retried_sync_shows_no_failures_of_the_run_before() {
    let people: Vec<Person> = (1..=5).map(lacking).collect();
    let fixture = Fixture::new(&people).await;
    fixture.fault(ADD_ROLE, 403, 1_000).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    assert!(matches!(process.finish(job).await, Answer::Failed(_)));
    assert!(!process.failures(job).await.is_empty());
    fixture.clear_faults().await;
    let (failed, now) = (process.row(job).await, process.context.clock.now());
    let transaction = process.context.database.begin().await.unwrap();
    let retried = jobs::retry(&transaction, &failed, now).await.unwrap();
    transaction.commit().await.unwrap();
    let Retry::Queued(row) = retried else { panic!("not retried") };
    assert!(process.failures(job).await.is_empty());
    process.queue.publish([row.message()]);
    assert!(matches!(process.finish(job).await, Answer::Succeeded(_)));
    assert!(process.failures(job).await.is_empty());
    assert_eq!(fixture.wrong(&people).await, 0);
}

#[tokio::test]
async fn an_undo_puts_back_only_what_its_run_changed() {
    let people: Vec<Person> = (1..=600).map(lacking).collect();
    let fixture = Fixture::slow(&people, Duration::from_millis(20)).await;
    let process = fixture.process().await;
    let run = process.enqueue(&everybody()).await;
    until("updates", async || fixture.updates().await >= 20).await;
    cancel(&process, run).await;
    assert_eq!(process.finish(run).await, Answer::Cancelled);
    let changed = usize::try_from(fixture.updates().await).unwrap();
    // Another run does the rest.
    process.succeed(&everybody()).await;
    assert_eq!(fixture.wrong(&people).await, 0);
    let undone = process.succeed(&UndoSync { guild: guild_id(), run }).await;
    assert_eq!((&undone["planned"], &undone["updated"]), (&json!(changed), &json!(changed)));
    assert_eq!(fixture.wrong(&people).await, changed);
}
