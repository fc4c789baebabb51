//! Direct messages (docs/rules.md 11): posted once, and somebody who takes none is no error.

use std::sync::Arc;

use jobs::direct_message::DirectMessage;
use queue::Answer;
use serde_json::{Value, json};

use crate::crashes::Mortal;
use crate::fixture::{Fixture, chat, guild_id, until};
use crate::people::Person;

const SEND: &str = "POST /channels/:channel/messages";

fn message(to: &Person, text: &str) -> DirectMessage {
    DirectMessage { guild: guild_id(), to: chat(to.chat), text: text.to_owned(), to_members: false }
}

#[tokio::test]
async fn a_message_is_posted_and_pings_nobody() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    assert_eq!(process.succeed(&message(&person, "Hi, @everyone")).await, json!({ "delivered": true }));
    let long = "é".repeat(2_500);
    process.succeed(&message(&person, &long)).await;
    let messages = fixture.messages(person.chat).await;
    let texts: Vec<_> = messages.iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Hi, @everyone", &"é".repeat(2_000)]);
    assert!(
        messages.iter().all(|message| message["allowed_mentions"] == json!({ "parse": [] })),
        "{messages:?}"
    );
}

#[tokio::test]
async fn somebody_who_takes_no_messages_is_no_error() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    fixture.close_messages(person.chat).await;
    assert_eq!(process.succeed(&message(&person, "Hi")).await, json!({ "delivered": false }));
    assert_eq!(fixture.messages(person.chat).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_staff_write_reaches_only_members() {
    let [person, stranger] = [1, 2].map(Person::right);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    for (to, delivered) in [(&person, true), (&stranger, false)] {
        let of_staff = DirectMessage { to_members: true, ..message(to, "Hi") };
        assert_eq!(process.succeed(&of_staff).await, json!({ "delivered": delivered }));
    }
}

#[tokio::test]
async fn a_message_whose_answer_was_lost_is_posted_once() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": SEND, "status": 502, "served": true, "count": 1 })).await;
    process.succeed(&message(&person, "Hi")).await;
    assert_eq!(fixture.messages(person.chat).await.len(), 1);
    // Another one with the same text is another message.
    process.succeed(&message(&person, "Hi")).await;
    assert_eq!(fixture.messages(person.chat).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_worker_sends_no_message_twice() {
    let person = Person::right(1);
    let fixture = Arc::new(Fixture::new(std::slice::from_ref(&person)).await);
    fixture.order(&json!({ "route": SEND, "hang_ms": 60_000, "served": true, "count": 1 })).await;
    let mortal = Mortal::start(&fixture).await;
    let job = mortal.process.enqueue(&message(&person, "Hi")).await;
    until("the message is posted", async || fixture.messages(person.chat).await.len() == 1).await;
    mortal.kill();
    let process = fixture.process().await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(result, json!({ "delivered": true }));
    assert_eq!(fixture.messages(person.chat).await.len(), 1);
}
