//! The place of a shard in the stream, and its writing: with the jobs that follow from the events up to it, in one transaction.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use entities::gateway_shard::{self, Model};
use queue::{Queue, QueueError};
use runtime::leader::Leadership;
use runtime::{Context, UnitOfWork};
use tokio::sync::mpsc::Receiver;

use crate::event::Heard;
use crate::follow_up;

/// Events written at once.
const MOST: usize = 500;
/// Guilds of events written at once: each takes up to twenty statements.
const MOST_GUILDS: usize = 8;
/// How often the place is written while nothing happens: events until then are not looked for again.
const QUIET: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A text of the stream, and the session's place behind it.
pub(crate) struct Received {
    pub(crate) heard: Heard,
    pub(crate) session: String,
    pub(crate) sequence: i64,
    pub(crate) resume_url: Option<String>,
}

pub(crate) struct Writer<'a> {
    pub(crate) context: &'a Context,
    pub(crate) queue: &'a Queue,
    pub(crate) leadership: &'a Leadership,
    /// The session's events come in: all until now have been read.
    pub(crate) connected: &'a AtomicBool,
    pub(crate) place: Model,
}

/// Another process reads the shard now.
pub(crate) struct Superseded;

impl Writer<'_> {
    /// Writes what is received, until nothing comes any more.
    pub(crate) async fn write(&mut self, mut received: Receiver<Received>) -> Result<(), Superseded> {
        loop {
            let mut some = Vec::new();
            match tokio::time::timeout(QUIET, received.recv_many(&mut some, MOST)).await {
                Ok(0) => return Ok(()),
                Ok(_) | Err(_) => {
                    for part in parts(some) {
                        self.write_surely(part).await?;
                    }
                }
            }
        }
    }

    /// Tries again until the database takes it.
    async fn write_surely(&mut self, some: Vec<Received>) -> Result<(), Superseded> {
        let mut pause = FIRST_PAUSE;
        loop {
            if !self.leadership.leads() {
                return Err(Superseded);
            }
            match self.write_once(&some).await {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(Superseded),
                Err(error) => {
                    runtime::warn_throttled!(%error, "events of the chat platform cannot be written yet");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    async fn write_once(&mut self, some: &[Received]) -> Result<bool, QueueError> {
        let mut work = UnitOfWork::begin(self.context).await?;
        let seen_at = if self.connected.load(Ordering::Relaxed) { work.now() } else { self.place.seen_at };
        let mut place = Model { seen_at, ..self.place.clone() };
        let mut events = Vec::new();
        for Received { heard, session, sequence, resume_url } in some {
            place = Model {
                session: Some(session.clone()),
                sequence: *sequence,
                resume_url: resume_url.clone(),
                ..place
            };
            match heard {
                Heard::Event(event) => events.push(event),
                Heard::Ready => follow_up::catch_up(&mut work, &self.place).await?,
                Heard::Hello | Heard::Resumed | Heard::Interaction(_) | Heard::Other => {}
            }
        }
        follow_up::events(&mut work, &events).await?;
        if !gateway_shard::write(work.tx(), place.clone()).await? {
            return Ok(false);
        }
        self.queue.publish(work.commit().await?);
        self.place = place;
        Ok(true)
    }
}

/// In their order, each of few guilds.
fn parts(received: Vec<Received>) -> Vec<Vec<Received>> {
    let (mut parts, mut part, mut guilds) = (Vec::new(), Vec::new(), BTreeSet::new());
    for one in received {
        if let Heard::Event(event) = &one.heard {
            guilds.insert(event.guild);
            if guilds.len() > MOST_GUILDS {
                guilds = BTreeSet::from([event.guild]);
                parts.push(std::mem::take(&mut part));
            }
        }
        part.push(one);
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use entities::{ChatId, GuildId, guild};
    use runtime::{Clock, Config, Secret, Shutdown, leader};
    use testkit::{TestDatabase, guild_row};

    use super::*;
    use crate::event::{Event, What};

    struct Fixture {
        context: Context,
        queue: Queue,
        leadership: Leadership,
        connected: AtomicBool,
        place: Model,
        _database: TestDatabase,
    }

    impl Fixture {
        async fn new() -> Self {
            let database = TestDatabase::sqlite().await;
            let config =
                Config { database_url: Secret::from(database.url()), prefix: "t".to_owned(), broker: None };
            let context = Context::embedded(&config, Shutdown::new()).await.unwrap();
            let context =
                Context { clock: Clock::manual("2026-11-20T12:00:30Z".parse().unwrap()), ..context };
            let (conn, now) = (context.database.write(), context.clock.now());
            let place = gateway_shard::take(conn, 0, 1, "me", now).await.unwrap();
            let queue = Queue::embedded(&context);
            let leadership = leader::start(&context, "test", true, |_| {});
            Self { queue, leadership, connected: AtomicBool::new(true), place, context, _database: database }
        }

        fn writer(&self) -> Writer<'_> {
            let Self { context, queue, leadership, connected, place, .. } = self;
            Writer { context, queue, leadership, connected, place: place.clone() }
        }

        async fn place(&self) -> Model {
            gateway_shard::list(self.context.database.read()).await.unwrap().remove(0)
        }
    }

    #[tokio::test]
    async fn events_of_many_guilds_are_written_in_small_changes() {
        let fixture = Fixture::new().await;
        let (database, now) = (&fixture.context.database, fixture.context.clock.now());
        let (events, received) = tokio::sync::mpsc::channel(MOST);
        for sequence in 1..=200 {
            let guild = GuildId::try_from(sequence).unwrap();
            guild::upsert(database.write(), guild_row(guild, now)).await.unwrap();
            let what = What::Left(ChatId::try_from(7).unwrap());
            let heard = Heard::Event(Event { guild, what });
            let one = Received { heard, session: "s".to_owned(), sequence, resume_url: None };
            assert!(events.send(one).await.is_ok());
        }
        drop(events);
        assert!(fixture.writer().write(received).await.is_ok());
        assert_eq!(fixture.place().await.sequence, 200);
    }

    #[tokio::test]
    async fn what_comes_while_the_stream_is_cut_counts_as_unread() {
        let fixture = Fixture::new().await;
        let (began, mut writer) = (fixture.place.seen_at, fixture.writer());
        let mut seen_after = async |seconds: i64| {
            fixture.context.clock.advance(TimeDelta::seconds(seconds).to_std().unwrap());
            assert!(writer.write_once(&[]).await.unwrap());
            (fixture.place().await.seen_at - began).num_seconds()
        };
        assert_eq!(seen_after(10).await, 10);
        fixture.connected.store(false, Ordering::Relaxed);
        assert_eq!(seen_after(600).await, 10);
        fixture.connected.store(true, Ordering::Relaxed);
        assert_eq!(seen_after(10).await, 620);
    }
}
