//! News in log channels (docs/rules.md 15): sentences that ping nobody, ten in a message, each posted once.

use std::sync::Arc;

use entities::ChannelId;
use entities::audit_entry::{Actor, NewEntry};
use entities::log_channel::{self, Model, State};
use entities::news::News;
use jobs::log_channels::PostNews;
use queue::Answer;
use runtime::UnitOfWork;
use serde_json::{Value, json};

use crate::crashes::Mortal;
use crate::fixture::{Fixture, guild_id, until};
use crate::people::{GUILD, Person};
use crate::process::Process;

const SEND: &str = "POST /channels/:channel/messages";

/// The channel that every simulated guild has.
fn channel() -> ChannelId {
    ChannelId::try_from(GUILD).unwrap()
}

fn payload() -> PostNews {
    PostNews { guild: guild_id(), channel: channel() }
}

async fn set(process: &Process) {
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    let news = [News::Moderation, News::Failures];
    log_channel::put(conn, (guild_id(), channel()), &news, true, now).await.unwrap();
}

async fn row(process: &Process) -> Model {
    let conn = process.context.database.read();
    log_channel::find(conn, guild_id(), channel()).await.unwrap().unwrap()
}

/// Entries of this action, by a person about others.
async fn note(process: &Process, action: &'static str, by: i64, about: &[(String, Value)]) {
    let mut work = UnitOfWork::begin(&process.context).await.unwrap();
    for (target, metadata) in about {
        let actor = Actor { actor_id: by, ..Actor::service() };
        let (target, metadata) = (target.clone(), metadata.clone());
        work.audit(actor, NewEntry { guild: guild_id(), action, target, metadata });
    }
    work.commit().await.unwrap();
}

fn texts(messages: &[Value]) -> Vec<Vec<String>> {
    let text = |embed: &Value| embed["description"].as_str().unwrap().to_owned();
    messages.iter().map(|one| one["embeds"].as_array().unwrap().iter().map(text).collect()).collect()
}

/// A guild whose person 1 is linked and person 2 is not.
async fn fixture() -> (Fixture, Person, Person) {
    let (linked, player) = (Person::right(1), Person { linked_as: None, ..Person::right(2) });
    (Fixture::new(&[linked.clone(), player.clone()]).await, linked, player)
}

#[tokio::test]
async fn an_entry_is_a_sentence_that_pings_nobody() {
    let (fixture, linked, player) = fixture().await;
    let process = fixture.process().await;
    set(&process).await;
    let reason = "@everyone <@1>\n# **free** [robux](https://evil.example)\u{202e}\u{200b}";
    let until = "2026-12-12T12:00:00Z";
    let ban = json!({ "reason": reason, "expires_at": until });
    note(&process, "moderation.ban", linked.chat, &[(player.play.to_string(), ban)]).await;
    // Nobody knows a name of this user; the platform shows it.
    note(&process, "moderation.unban", 1_999_999_999_999_999_999, &[(linked.chat.to_string(), json!({}))])
        .await;
    note(&process, "settings.update", linked.chat, &[(String::new(), json!({}))]).await;
    assert_eq!(process.succeed(&payload()).await, json!({ "posted": 2 }));
    let messages = fixture.messages_in(channel()).await;
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
    assert_eq!(message["content"], "");
    let [texts] = &texts(&messages)[..] else { panic!() };
    let entries = process.audit("moderation").await;
    let details = |number: usize| {
        let id = entries[number].audit_id;
        format!(" [Details](https://guildhall.example.org/console/guilds/{GUILD}/audit/{id})")
    };
    let safe = r"\@everyone \<\@1\> \# \*\*free\*\* \[robux\]\(https\:\/\/evil.example\)";
    let banned = format!(r"**player\_1** banned **player\_2** until <t:1797076800:f>: {safe}{}", details(1));
    assert_eq!(texts[0], banned);
    let lifted = format!(r"<@1999999999999999999> lifted the ban of **player\_1**{}", details(0));
    assert_eq!(texts[1], lifted);
    let at = message["embeds"][0]["timestamp"].as_str().unwrap();
    let at: entities::Timestamp = at.parse().unwrap();
    assert_eq!(at, entries[1].created_at);
}

#[tokio::test]
async fn a_message_has_ten_news_and_fits_however_long_they_are() {
    let (fixture, linked, _) = fixture().await;
    let process = fixture.process().await;
    set(&process).await;
    let long = json!({ "reason": "*".repeat(1_000), "expires_at": "2026-12-12T12:00:00Z" });
    let about: Vec<_> = (0..23).map(|n| ((500_000 + n).to_string(), long.clone())).collect();
    note(&process, "moderation.ban", linked.chat, &about).await;
    for posted in [10, 10, 3, 0] {
        assert_eq!(process.succeed(&payload()).await, json!({ "posted": posted }));
    }
    let messages = fixture.messages_in(channel()).await;
    let texts = texts(&messages);
    assert_eq!(texts.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 3]);
    for (number, text) in texts.concat().iter().enumerate() {
        assert!(text.contains(&format!("**Roblox {}**", 500_000 + number)), "in order: {text}");
        assert!(text.chars().count() <= 600 && text.contains("[Details]"), "{text}");
    }
    let row = row(&process).await;
    assert!(row.post_at > process.context.clock.now(), "the next one waits");
}

#[tokio::test]
async fn a_message_whose_answer_was_lost_is_posted_once() {
    let (fixture, linked, _) = fixture().await;
    let process = fixture.process().await;
    set(&process).await;
    note(&process, "moderation.ban", linked.chat, &[("500001".to_owned(), json!({}))]).await;
    fixture.order(&json!({ "route": SEND, "status": 502, "served": true, "count": 1 })).await;
    let job = process.enqueue(&payload()).await;
    until("the message is posted", async || fixture.messages_in(channel()).await.len() == 1).await;
    // What comes before the next attempt is not taken for posted.
    note(&process, "moderation.ban", linked.chat, &[("500002".to_owned(), json!({}))]).await;
    assert!(matches!(process.finish(job).await, Answer::Succeeded(result) if result["posted"] == 1));
    process.succeed(&payload()).await;
    let texts = texts(&fixture.messages_in(channel()).await);
    assert_eq!(texts.len(), 2);
    assert!(texts[0][0].contains("500001") && texts[1][0].contains("500002"), "{texts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_killed_after_it_posted_posts_nothing_twice() {
    let (fixture, linked, _) = fixture().await;
    let fixture = Arc::new(fixture);
    fixture.order(&json!({ "route": SEND, "hang_ms": 60_000, "served": true, "count": 1 })).await;
    let mortal = Mortal::start(&fixture).await;
    set(&mortal.process).await;
    note(&mortal.process, "moderation.ban", linked.chat, &[("500001".to_owned(), json!({}))]).await;
    let job = mortal.process.enqueue(&payload()).await;
    until("the message is posted", async || fixture.messages_in(channel()).await.len() == 1).await;
    note(&mortal.process, "moderation.ban", linked.chat, &[("500002".to_owned(), json!({}))]).await;
    mortal.kill();
    let process = fixture.process().await;
    assert!(matches!(process.finish(job).await, Answer::Succeeded(_)));
    process.succeed(&payload()).await;
    let texts = texts(&fixture.messages_in(channel()).await).concat();
    assert!(texts.len() == 2 && texts[0].contains("500001") && texts[1].contains("500002"), "{texts:?}");
}

#[tokio::test]
async fn a_channel_that_refuses_is_switched_off() {
    let (fixture, linked, _) = fixture().await;
    let process = fixture.process().await;
    for (status, code) in [(403, 50_013), (404, 10_003)] {
        set(&process).await;
        note(&process, "moderation.ban", linked.chat, &[("500001".to_owned(), json!({}))]).await;
        fixture.order(&json!({ "route": SEND, "status": status, "code": code, "count": 1 })).await;
        assert_eq!(process.fail(&payload()).await.1, "channel_refused");
        assert_eq!(row(&process).await.state, State::Refused);
        let (_, error, _) = process.fail(&payload()).await;
        assert_eq!(error, "log_channel_off");
    }
    let entries = process.audit("log_channels.refused").await;
    assert_eq!((entries.len(), entries[0].target_id.as_str()), (2, &*channel().to_string()));
    assert_eq!(process.audit("job.failed").await, [], "an entry would be delivered in turn");
}

#[tokio::test]
async fn only_a_message_that_is_invalid_is_left_out() {
    let (fixture, linked, _) = fixture().await;
    let process = fixture.process().await;
    set(&process).await;
    let ban = async |player: &str| {
        note(&process, "moderation.ban", linked.chat, &[(player.to_owned(), json!({}))]).await;
    };
    ban("500001").await;
    fixture.order(&json!({ "route": SEND, "status": 400, "code": 50_035, "count": 1 })).await;
    process.fail(&payload()).await;
    ban("500002").await;
    fixture.order(&json!({ "route": SEND, "status": 503, "count": 1 })).await;
    process.succeed(&payload()).await;
    let texts = texts(&fixture.messages_in(channel()).await).concat();
    assert!(texts.len() == 1 && texts[0].contains("500002"), "{texts:?}");
    assert_eq!(row(&process).await.state, State::On);
}
