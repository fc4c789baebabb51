use entities::GuildId;

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
    let (one, two) = (Events::redis(redis, shutdown), Events::redis(redis, shutdown));
    until_subscribed(redis, 2).await;
    (one, two)
}

async fn until_subscribed(redis: &Redis, count: i64) {
    let mut connection = redis.connection().await.unwrap();
    let wait = async {
        loop {
            let mut asked = ::redis::cmd("PUBSUB");
            asked.arg("NUMSUB").arg(channel(redis));
            let (_, subscribers): (String, i64) = asked.query_async(&mut connection).await.unwrap();
            if subscribers == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(WAIT_LIMIT, wait).await.expect("they subscribe in time");
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
    let (events, applied) = (Events::in_process(), Arc::new(Mutex::new(Vec::new())));
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

#[test]
fn a_log_that_was_not_read_for_a_second_is_stale() {
    let freshness =
        Freshness { started: Instant::now().checked_sub(FRESH_FOR * 3).unwrap(), ..Freshness::new() };
    assert!(!freshness.is_fresh(), "it was never read");
    freshness.read(Instant::now());
    assert!(freshness.is_fresh());
    freshness.read(Instant::now().checked_sub(FRESH_FOR).unwrap());
    assert!(!freshness.is_fresh());
}

#[tokio::test]
async fn a_database_is_lost_while_reads_fail_and_for_five_minutes_at_most() {
    let started = Instant::now().checked_sub(STALE_FOR * 2).unwrap();
    let freshness = Freshness { started, ..Freshness::new() };
    let is_lost = || futures_util::FutureExt::now_or_never(freshness.lost()).is_some();
    freshness.failed();
    assert!(!is_lost(), "it was never there");
    freshness.read(Instant::now());
    assert!(!is_lost(), "it is there");
    freshness.failed();
    assert!(is_lost());
    freshness.read(Instant::now().checked_sub(STALE_FOR).unwrap());
    freshness.failed();
    assert!(!is_lost(), "it has been away for five minutes");
}

#[tokio::test]
async fn publishing_never_blocks_and_never_fails_without_redis() {
    let shutdown = Shutdown::new();
    let events = Events::redis(&Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap(), &shutdown);
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
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(here.try_recv().is_err() && there.try_recv().is_err(), "an event was heard twice");
    shutdown.cut();
    shutdown.wait().await;
}
