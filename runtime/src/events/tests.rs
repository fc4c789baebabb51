use entities::GuildId;

use super::event::{Message, channel};
use super::*;
use crate::redis::tests::test_redis;

const WAIT_LIMIT: Duration = Duration::from_secs(5);

fn guild(id: i64) -> Event {
    Event::LinksChanged { guild: GuildId::try_from(id).unwrap() }
}

async fn next(receiver: &mut broadcast::Receiver<Event>) -> Event {
    tokio::time::timeout(WAIT_LIMIT, receiver.recv()).await.expect("an event arrives").unwrap()
}

async fn pair(redis: &Redis, shutdown: &Shutdown) -> (Events, Events) {
    let (one, two) = (Events::redis(redis, shutdown), Events::redis(redis, shutdown));
    until(|| one.trusted() && two.trusted()).await;
    (one, two)
}

async fn until(condition: impl Fn() -> bool) {
    let wait = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(WAIT_LIMIT, wait).await.expect("it happens in time");
}

#[test]
fn the_form_on_the_wire_is_fixed() {
    let text = serde_json::to_string(&Message { origin: "a".to_owned(), event: guild(17) }).unwrap();
    assert_eq!(text, r#"{"origin":"a","event":{"type":"links_changed","guild":"17"}}"#);
    assert_eq!(serde_json::to_string(&Event::Resync).unwrap(), r#"{"type":"resync"}"#);
}

#[tokio::test]
async fn in_process_events_arrive_at_once_and_are_not_trusted() {
    let events = Events::in_process();
    events.publish(guild(1));
    let mut receiver = events.subscribe();
    events.publish(guild(2));
    assert_eq!(receiver.try_recv().unwrap(), guild(2));
    assert!(!events.trusted());
    assert!(events.flush(Duration::ZERO).await);
}

#[tokio::test]
async fn publishing_never_blocks_and_never_fails_without_redis() {
    let shutdown = Shutdown::new();
    let events = Events::redis(&Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap(), &shutdown);
    let mut receiver = events.subscribe();
    for id in 1..=3_000 {
        events.publish(guild(id));
    }
    assert_eq!(receiver.try_recv().unwrap(), guild(1));
    assert!(!events.trusted());
    assert!(!events.flush(WAIT_LIMIT).await, "nothing reached anybody");
    shutdown.cut();
    tokio::time::timeout(WAIT_LIMIT, shutdown.wait()).await.unwrap();
}

#[tokio::test]
async fn every_process_receives_an_event_once() {
    let Some(redis) = test_redis("events: two processes").await else { return };
    let shutdown = Shutdown::new();
    let (one, two) = pair(&redis, &shutdown).await;
    let (mut here, mut there) = (one.subscribe(), two.subscribe());
    one.publish(guild(1));
    two.publish(guild(2));
    assert_eq!((next(&mut here).await, next(&mut here).await), (guild(1), guild(2)));
    let heard = [next(&mut there).await, next(&mut there).await];
    assert!(heard.contains(&guild(1)) && heard.contains(&guild(2)), "{heard:?}");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(here.try_recv().is_err() && there.try_recv().is_err(), "an event was heard twice");
    shutdown.cut();
    shutdown.wait().await;
}

#[tokio::test]
async fn a_restored_subscription_sends_a_resync() {
    let Some(redis) = test_redis("events: lost subscription").await else { return };
    let shutdown = Shutdown::new();
    let events = Events::redis(&redis, &shutdown);
    until(|| events.trusted()).await;
    let mut receiver = events.subscribe();
    let mut connection = redis.connection().await.unwrap();
    let clients: String = ::redis::cmd("CLIENT")
        .arg("LIST")
        .arg("TYPE")
        .arg("PUBSUB")
        .query_async(&mut connection)
        .await
        .unwrap();
    for id in clients.lines().filter_map(|line| line.strip_prefix("id=")?.split(' ').next()) {
        ::redis::cmd("CLIENT")
            .arg("KILL")
            .arg("ID")
            .arg(id)
            .query_async::<()>(&mut connection)
            .await
            .unwrap();
    }
    assert_eq!(next(&mut receiver).await, Event::Resync);
    until(|| events.trusted()).await;
    shutdown.cut();
    shutdown.wait().await;
}

#[tokio::test]
async fn an_unknown_event_causes_a_resync() {
    let Some(redis) = test_redis("events: unknown event").await else { return };
    let shutdown = Shutdown::new();
    let events = Events::redis(&redis, &shutdown);
    until(|| events.trusted()).await;
    let mut receiver = events.subscribe();
    let mut connection = redis.connection().await.unwrap();
    let text = r#"{"origin":"x","event":{"type":"of_tomorrow","guild":"1"}}"#;
    ::redis::cmd("PUBLISH").arg(channel(&redis)).arg(text).query_async::<()>(&mut connection).await.unwrap();
    assert_eq!(next(&mut receiver).await, Event::Resync);
    shutdown.cut();
    shutdown.wait().await;
}

#[tokio::test]
async fn events_published_during_shutdown_are_sent() {
    let Some(redis) = test_redis("events: last words").await else { return };
    let (theirs, ours) = (Shutdown::new(), Shutdown::new());
    let listener = Events::redis(&redis, &theirs);
    let events = Events::redis(&redis, &ours);
    until(|| listener.trusted()).await;
    let mut receiver = listener.subscribe();
    events.publish(guild(9));
    ours.begin();
    ours.wait().await;
    assert_eq!(next(&mut receiver).await, guild(9));
    theirs.cut();
    theirs.wait().await;
}

/// Not later: in a steady stream of events there is no pause to wait for.
#[tokio::test]
async fn a_resync_follows_the_first_event_sent_after_a_loss() {
    let Some(redis) = test_redis("events: resync at once").await else { return };
    let shutdown = Shutdown::new();
    let (one, two) = pair(&redis, &shutdown).await;
    let mut there = two.subscribe();
    // More than the queue holds; the publisher cannot run before the loop has ended.
    for id in 1..=3_000 {
        one.publish(guild(id));
    }
    let heard = [next(&mut there).await, next(&mut there).await, next(&mut there).await];
    assert_eq!(heard, [guild(1), Event::Resync, guild(2)]);
    shutdown.cut();
    shutdown.wait().await;
}

#[tokio::test]
async fn a_full_queue_causes_a_resync() {
    let Some(redis) = test_redis("events: full queue").await else { return };
    let shutdown = Shutdown::new();
    let (one, two) = pair(&redis, &shutdown).await;
    let mut there = two.subscribe();
    for id in 1..=3_000 {
        one.publish(guild(id));
    }
    assert!(one.flush(WAIT_LIMIT).await);
    let mut heard = 0;
    while next(&mut there).await != Event::Resync {
        heard += 1;
    }
    assert!((1..3_000).contains(&heard), "{heard} events came through");
    shutdown.cut();
    shutdown.wait().await;
}
