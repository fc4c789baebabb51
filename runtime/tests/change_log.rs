//! Events that reach other processes through the change log alone, on both databases.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails by panicking")]

use std::time::Duration;

use entities::{GuildId, Timestamp, change_log};
use runtime::{Breaker, Clock, Database, Event, Events, Shutdown};
use sea_orm::ConnectionTrait;
use testkit::{TestDatabase, until};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// A process that follows the change log, and has read it once.
struct Process {
    events: Events,
    heard: Receiver<Event>,
    shutdown: Shutdown,
}

impl Process {
    async fn start(database: &TestDatabase) -> Self {
        let (events, shutdown) = (Events::in_process(Breaker::default()), Shutdown::new());
        let heard = events.subscribe();
        events.follow(database.open().await, Clock::system(), &shutdown);
        let mut process = Self { events, heard, shutdown };
        process.until_fresh().await;
        assert_eq!(process.next().await, Event::Resync, "what was cached before the first read is dropped");
        process
    }

    async fn until_fresh(&self) {
        until(|| self.events.freshness().is_fresh()).await;
    }

    async fn next(&mut self) -> Event {
        match tokio::time::timeout(WAIT_LIMIT, self.heard.recv()).await.expect("an event arrives") {
            Err(RecvError::Lagged(_)) => Event::Resync,
            event => event.unwrap(),
        }
    }

    async fn end(self) {
        self.shutdown.cut();
        tokio::time::timeout(WAIT_LIMIT, self.shutdown.wait()).await.expect("it ends");
    }
}

fn event(id: i64) -> Event {
    Event::LinksChanged { guild: GuildId::try_from(id).unwrap() }
}

fn now() -> Timestamp {
    Clock::system().now()
}

/// A change that commits with its event.
async fn change(database: &Database, id: i64) {
    let transaction = database.begin().await.unwrap();
    Events::record(&transaction, [event(id)], now()).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn a_committed_event_reaches_other_processes_once(database: TestDatabase) {
    let (mut one, mut two) = (Process::start(&database).await, Process::start(&database).await);
    let writer = database.open().await;
    let transaction = writer.begin().await.unwrap();
    let recorded = Events::record(&transaction, [event(1)], now()).await.unwrap();
    transaction.commit().await.unwrap();
    one.events.publish(recorded);
    let abandoned = writer.begin().await.unwrap();
    Events::record(&abandoned, [event(2)], now()).await.unwrap();
    abandoned.rollback().await.unwrap();
    change(&writer, 3).await;
    for process in [&mut one, &mut two] {
        assert_eq!((process.next().await, process.next().await), (event(1), event(3)));
    }
    writer.close().await;
    one.end().await;
    two.end().await;
}

async fn too_many_events_and_unknown_ones_are_a_resync(database: TestDatabase) {
    let mut process = Process::start(&database).await;
    let writer = database.open().await;
    let transaction = writer.begin().await.unwrap();
    // More values than one statement may have.
    let events = (1..=22_000).map(|id| (Uuid::now_v7(), serde_json::to_string(&event(id)).unwrap()));
    for insert in change_log::inserts(events, now()) {
        transaction.execute(&insert).await.unwrap();
    }
    transaction.commit().await.unwrap();
    assert_eq!(process.next().await, Event::Resync);
    // Some of them follow.
    let unknown = (Uuid::now_v7(), r#"{"type":"of_tomorrow"}"#.to_owned());
    for insert in change_log::inserts([unknown], now()) {
        writer.write().execute(&insert).await.unwrap();
    }
    while process.next().await != Event::Resync {}
    change(&writer, 30_000).await;
    while process.next().await != event(30_000) {}
    writer.close().await;
    process.end().await;
}

async fn old_events_are_pruned_and_later_ones_still_arrive(database: TestDatabase) {
    let mut process = Process::start(&database).await;
    let writer = database.open().await;
    change(&writer, 1).await;
    assert_eq!(process.next().await, event(1));
    let later = now() + Duration::from_secs(60);
    assert_eq!(change_log::prune(writer.write(), later, 10).await.unwrap(), 1);
    // A position is never given twice.
    change(&writer, 2).await;
    assert_eq!(process.next().await, event(2));
    writer.close().await;
    process.end().await;
}

async fn a_read_names_the_server_that_answered(database: TestDatabase) {
    let (one, two) = (database.open().await, database.open().await);
    let first = change_log::read(one.read(), None, 10).await.unwrap();
    let second = change_log::read(two.read(), Some(&first.horizon), 10).await.unwrap();
    assert_eq!((first.database.is_empty(), &first.database), (!one.is_postgres(), &second.database));
    one.close().await;
    two.close().await;
}

macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test]
            async fn postgres() {
                super::$test(super::TestDatabase::postgres().await).await;
            }

            #[tokio::test]
            async fn sqlite() {
                super::$test(super::TestDatabase::sqlite().await).await;
            }
        }
    )+};
}

on_both_databases!(
    a_committed_event_reaches_other_processes_once,
    too_many_events_and_unknown_ones_are_a_resync,
    old_events_are_pruned_and_later_ones_still_arrive,
    a_read_names_the_server_that_answered,
);

/// Postgres: transactions commit in another order than they begin. SQLite has one writer.
#[tokio::test]
async fn a_transaction_that_commits_late_is_not_missed() {
    let database = TestDatabase::postgres().await;
    let mut process = Process::start(&database).await;
    let writer = database.open().await;
    let late = writer.begin().await.unwrap();
    Events::record(&late, [event(1)], now()).await.unwrap();
    for id in 2..=4 {
        change(&writer, id).await;
        assert_eq!(process.next().await, event(id));
    }
    late.commit().await.unwrap();
    assert_eq!(process.next().await, event(1));
    change(&writer, 5).await;
    assert_eq!(process.next().await, event(5), "no event comes twice");
    writer.close().await;
    process.end().await;
}
