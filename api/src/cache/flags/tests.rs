use entities::shield_flag::{NewFlag, Origin};
use entities::{ChatId, Timestamp};
use runtime::{Breaker, Clock, Event, Events};
use testkit::{TestDatabase, until};

use super::*;

struct Fixture {
    database: Database,
    flags: Flags,
    events: Events,
    shutdown: Shutdown,
    _file: TestDatabase,
}

fn now() -> Timestamp {
    Timestamp::from_timestamp(1_800_000_000, 0).unwrap()
}

fn play(id: i64) -> PlayId {
    id.try_into().unwrap()
}

impl Fixture {
    /// Follows the change log; nothing is read yet.
    async fn new() -> Self {
        let file = TestDatabase::sqlite().await;
        let database = file.open().await;
        let (events, shutdown) = (Events::in_process(Breaker::default()), Shutdown::new());
        let flags = Flags::new(&database, events.freshness(), &shutdown);
        let fed = flags.clone();
        events.on_event(move |event| {
            if let Event::ShieldChanged { plays } = event {
                fed.change(plays);
            }
        });
        events.follow(database.clone(), Clock::system(), &shutdown);
        until(|| events.freshness().is_fresh()).await;
        Self { database, flags, events, shutdown, _file: file }
    }

    /// Without an event.
    async fn flag(&self, id: i64) {
        let flag = NewFlag { play: play(id), play_username: format!("p{id}"), reason: "r".to_owned() };
        let by = ChatId::try_from(9).unwrap();
        let origin = Origin { by, guild: None, source: "manual", at: now() };
        shield_flag::import(self.database.write(), &[flag], origin).await.unwrap();
    }

    async fn announce(&self, id: i64) {
        let event = Event::ShieldChanged { plays: vec![play(id)] };
        self.events.publish(Events::record(self.database.write(), [event], now()).await.unwrap());
    }

    async fn found(&self, ids: &[i64]) -> Vec<i64> {
        let plays: Vec<_> = ids.iter().map(|id| play(*id)).collect();
        self.flags.find(&plays).await.unwrap().iter().map(|flag| flag.play_id.get()).collect()
    }

    async fn read(&self) {
        self.found(&[1]).await;
        until(|| self.flags.flagged().reading == Reading::Done).await;
    }

    async fn end(self) {
        self.shutdown.cut();
        self.shutdown.wait().await;
    }
}

#[tokio::test]
async fn who_is_not_flagged_needs_no_query_and_changes_are_heard() {
    let fixture = Fixture::new().await;
    fixture.flag(3).await;
    fixture.flag(5).await;
    assert_eq!(
        fixture.found(&[5, 4, 3, 5]).await,
        [5, 3],
        "in the order asked, each once, from the database"
    );
    fixture.read().await;
    fixture.flag(4).await;
    assert_eq!(fixture.found(&[5, 4, 3]).await, [5, 3], "the database was asked");
    fixture.announce(4).await;
    assert_eq!(fixture.found(&[5, 4, 3, 5]).await, [5, 4, 3], "each once, from memory");
    shield_flag::lift(fixture.database.write(), play(5), None, "r", now()).await.unwrap();
    assert_eq!(fixture.found(&[5]).await, [5], "the database was asked");
    fixture.announce(5).await;
    assert_eq!(fixture.found(&[5, 4]).await, [4]);
    fixture.end().await;
}

#[tokio::test]
async fn a_change_while_everyone_is_read_is_not_lost() {
    let fixture = Fixture::new().await;
    let generation = fixture.flags.flagged().generation;
    fixture.flags.flagged().reading = Reading::Running;
    let read = shield_flag::flagged_users(fixture.database.read(), None, PAGE).await.unwrap();
    assert!(read.is_empty());
    fixture.flag(7).await;
    fixture.announce(7).await;
    // An earlier read ends after the change.
    fixture.flags.flagged().users.extend(read);
    fixture.flags.flagged().reading = Reading::Done;
    assert_eq!(fixture.found(&[7]).await, [7]);
    // A read that began before everything was dropped is discarded.
    fixture.flags.forget_all();
    fixture.flags.clone().fill(generation).await;
    assert!(fixture.flags.flagged().reading == Reading::NotBegun);
    assert_eq!(fixture.found(&[7]).await, [7]);
    fixture.end().await;
}

#[tokio::test]
async fn everyone_is_read_page_by_page() {
    let fixture = Fixture::new().await;
    for id in 1..=7 {
        fixture.flag(id * 10).await;
    }
    fixture.read().await;
    assert_eq!(fixture.flags.flagged().users.len(), 7, "in pages of {PAGE}");
    fixture.end().await;
}
