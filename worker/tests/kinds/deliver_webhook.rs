//! Deliveries to a receiver that fails (docs/rules.md 14).

use chrono::TimeDelta;
use entities::audit_entry::{Actor, NewEntry};
use entities::job::State;
use entities::webhook::{self, NewWebhook};
use jobs::webhooks::DeliverWebhook;
use queue::{Draft, enqueue_many};
use runtime::UnitOfWork;
use serde_json::json;
use testkit::Receiver;

use crate::fixture::{Fixture, guild_id, until};
use crate::people::Person;
use crate::process::Process;

const EVENT: &str = "notes.create";

impl Process {
    async fn write_notes(&self, count: i64) {
        let mut work = UnitOfWork::begin(&self.context).await.unwrap();
        for note in 0..count {
            let (guild, target, metadata) = (guild_id(), note.to_string(), json!({}));
            work.audit(Actor::service(), NewEntry { guild, action: EVENT, target, metadata });
        }
        work.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_receiver_that_failed_gets_one_delivery_at_a_time() {
    let fixture = Fixture::new(&[Person::right(1)]).await;
    let (process, receiver) = (fixture.process().await, Receiver::start().await);
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    let secret = webhook::new_secret();
    receiver.trusts(&json!(secret));
    receiver.answers([503; 9]);
    let new = NewWebhook { url: receiver.url(), events: "notes".to_owned(), secret };
    let hook = webhook::add(conn, guild_id(), new, now).await.unwrap();
    webhook::note(conn, &hook, Some(now - TimeDelta::seconds(1))).await.unwrap();
    process.write_notes(4).await;
    let mut drafts = Vec::new();
    for entry in process.audit(EVENT).await {
        let (guild, webhook, event) = (guild_id(), hook.webhook_id, EVENT.to_owned());
        let payload = DeliverWebhook { guild, webhook, event, entry: Some(entry.audit_id) };
        drafts.push(Draft::new(guild, &payload, Actor::service()).unwrap());
    }
    let jobs: Vec<_> = drafts.iter().map(Draft::id).collect();
    let mut work = UnitOfWork::begin(&process.context).await.unwrap();
    enqueue_many(&mut work, drafts).await.unwrap();
    process.queue.publish(work.commit().await.unwrap());
    for job in jobs {
        until("the delivery waits", async || {
            let row = process.row(job).await;
            row.state == State::Queued && row.error.is_some()
        })
        .await;
    }
    assert_eq!(receiver.received().len(), 1);
}
