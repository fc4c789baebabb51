use entities::GuildId;
use testkit::eventually;

use super::event::channel;
use super::*;
use crate::redis::tests::test_redis;

const WAIT_LIMIT: Duration = Duration::from_secs(5);

fn guild(id: i64) -> Event {
    Event::LinksChanged { guild: GuildId::try_from(id).unwrap() }
}

fn recorded(id: i64) -> Recorded {
    Recorded(vec![Message::new(guild(id))])
}

async fn next(receiver: &mut broadcast::Receiver<Event>) -> Event {
    tokio::time::timeout(WAIT_LIMIT, receiver.recv()).await.expect("an event arrives").unwrap()
}

/// Two processes, both subscribed in Redis.
async fn pair(redis: &Redis, shutdown: &Shutdown) -> (Events, Events) {
    let (one, two) = (
        Events::redis(redis, Breaker::default(), shutdown),
        Events::redis(redis, Breaker::default(), shutdown),
    );
    until_subscribed(redis, 2).await;
    (one, two)
}

async fn until_subscribed(redis: &Redis, count: i64) {
    let mut connection = redis.connection().await.unwrap();
    let subscribed = async || {
        let mut asked = ::redis::cmd("PUBSUB");
        asked.arg("NUMSUB").arg(channel(redis));
        let (_, subscribers): (String, i64) = asked.query_async(&mut connection).await.unwrap();
        (subscribers == count).then_some(())
    };
    eventually("they subscribe", WAIT_LIMIT, subscribed).await;
}

#[test]
fn the_form_on_the_wire_is_fixed() {
    let message = Message { id: Uuid::nil(), event: guild(17) };
    let text = serde_json::to_string(&message).unwrap();
    let id = Uuid::nil().to_string();
    assert_eq!(text, format!(r#"{{"id":"{id}","event":{{"type":"links_changed","guild":"17"}}}}"#));
    assert_eq!(serde_json::to_string(&Event::Resync).unwrap(), r#"{"type":"resync"}"#);
}

#[test]
fn an_event_is_announced_once_and_the_own_process_has_applied_it_when_publish_returns() {
    let (events, applied) = (Events::in_process(Breaker::default()), Arc::new(Mutex::new(Vec::new())));
    let list = applied.clone();
    events.on_event(move |event| list.lock().unwrap().push(event.clone()));
    let mut receiver = events.subscribe();
    let message = Message::new(guild(1));
    // Another way is faster than the process itself.
    events.hear(message.clone());
    events.publish(Recorded(vec![message.clone()]));
    events.hear(message);
    assert_eq!(*applied.lock().unwrap(), [guild(1), guild(1)]);
    assert_eq!(receiver.try_recv(), Ok(guild(1)));
    assert!(receiver.try_recv().is_err(), "it was announced twice");
}

#[tokio::test]
async fn what_was_seen_is_swept_once_a_second() {
    let events = Events::in_process(Breaker::default());
    let old = Instant::now().checked_sub(SEEN_FOR).unwrap();
    let age = |id| events.seen().at.insert(id, old);
    age(Uuid::from_u128(1));
    events.forget_seen();
    assert!(events.seen().at.is_empty());
    age(Uuid::from_u128(2));
    events.forget_seen();
    assert_eq!(events.seen().at.len(), 1, "it was swept a moment ago");
    events.seen().swept_at = Instant::now().checked_sub(FORGET_INTERVAL);
    events.forget_seen();
    assert!(events.seen().at.is_empty());
}

#[tokio::test]
async fn publishing_never_blocks_and_never_fails_without_redis() {
    let shutdown = Shutdown::new();
    let events =
        Events::redis(&Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap(), Breaker::default(), &shutdown);
    let mut receiver = events.subscribe();
    for id in 1..=3_000 {
        events.publish(recorded(id));
    }
    assert_eq!(receiver.try_recv().unwrap(), guild(1));
    shutdown.cut();
    tokio::time::timeout(WAIT_LIMIT, shutdown.wait()).await.unwrap();
}

#[tokio::test]
async fn every_process_receives_an_event_of_redis_once() {
    let Some(redis) = test_redis("events: two processes").await else { return };
    let shutdown = Shutdown::new();
    let (one, two) = pair(&redis, &shutdown).await;
    let (mut here, mut there) = (one.subscribe(), two.subscribe());
    one.publish(recorded(1));
    two.publish(recorded(2));
    let heard =
        [next(&mut here).await, next(&mut here).await, next(&mut there).await, next(&mut there).await];
    assert_eq!(heard.iter().filter(|event| **event == guild(1)).count(), 2, "{heard:?}");
    // What each sends arrives in its order: a second copy would come before the next event.
    one.publish(recorded(3));
    assert_eq!((next(&mut here).await, next(&mut there).await), (guild(3), guild(3)));
    two.publish(recorded(4));
    assert_eq!((next(&mut here).await, next(&mut there).await), (guild(4), guild(4)));
    shutdown.cut();
    shutdown.wait().await;
}
