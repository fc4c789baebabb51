//! Reads the change log four times a second, over a connection of its own, so that other queries do not delay
//! it.

use std::time::{Duration, Instant, SystemTime};

use entities::{Timestamp, change_log};
use sea_orm::DbErr;

use super::Events;
use super::event::{Event, Message};
use crate::clock::Clock;
use crate::database::Database;
use crate::shutdown::Shutdown;

/// From the begin of one read to that of the next.
const READ_INTERVAL: Duration = Duration::from_millis(250);
/// SQLite: interval of checks for writes, each one look at a file. A command beside `serve` is noticed that soon.
const WRITE_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Two writes within this time may leave the same time at a file.
const FILE_TIME_STEP: Duration = Duration::from_millis(10);
/// A read that takes longer has failed; more than the silence that opens the circuit breaker, so that a slow database
/// can close it.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Events of one read; with more of them everything cached is dropped.
const EVENTS_PER_READ: u64 = 10_000;
/// After a longer pause everything cached is dropped: rows are kept for half an hour, and clocks may differ.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

struct Follower {
    events: Events,
    database: Database,
    clock: Clock,
    /// Where the next read starts.
    horizon: Option<String>,
    /// The database that answered the last read.
    database_read: String,
    /// SQLite: the last write before the last read, unless a later one may have left the same time.
    written: Option<SystemTime>,
    /// The last successful read, on both clocks: the monotonic one stands still while a machine sleeps.
    read_at: (Instant, Timestamp),
}

impl Events {
    /// Follows the change log until the shutdown is over, and then closes `database`.
    pub fn follow(&self, database: Database, clock: Clock, shutdown: &Shutdown) {
        let read_at = (Instant::now(), clock.now());
        let follower = Follower {
            events: self.clone(),
            database,
            clock,
            horizon: None,
            database_read: String::new(),
            written: None,
            read_at,
        };
        shutdown.services().spawn(follower.run(shutdown.clone()));
    }
}

impl Follower {
    async fn run(mut self, shutdown: Shutdown) {
        let mut tick = tokio::time::interval(if self.database.is_postgres() {
            READ_INTERVAL
        } else {
            WRITE_CHECK_INTERVAL
        });
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (breaker, mut failing) = (self.database.breaker().clone(), false);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = shutdown.hard().cancelled() => return self.database.close().await,
            }
            let read = async {
                tokio::time::timeout(READ_TIMEOUT, self.read()).await.unwrap_or_else(|_| Err(no_answer()))
            };
            let read = breaker.probe(read).await;
            match &read {
                Ok(()) if failing => tracing::info!("the change log can be read again"),
                Err(error) if !failing => {
                    tracing::warn!(%error, "cannot read the change log: cached rows live 1 s until it is read");
                }
                _ => {}
            }
            failing = read.is_err();
        }
    }

    async fn read(&mut self) -> Result<(), DbErr> {
        let began = (Instant::now(), self.clock.now());
        let written = self.database.written_at();
        if written.is_some() && written == self.written && began.0 - self.read_at.0 < READ_INTERVAL {
            return Ok(());
        }
        // Looked at before the rows: the next check sees a later write.
        self.written = written.filter(|at| at.elapsed().is_ok_and(|since| since > FILE_TIME_STEP));
        let page = change_log::read(self.database.read(), self.horizon.as_deref(), EVENTS_PER_READ).await?;
        let slept = (began.1 - self.read_at.1).to_std().unwrap_or_default();
        // The first read does not know what changed since earlier entries were cached.
        let first = self.horizon.is_none();
        let moved = self.database_read != page.database;
        if first || moved || page.truncated || slept.max(began.0 - self.read_at.0) > LONGEST_PAUSE {
            self.events.resync();
        }
        for (id, text) in page.events {
            // A newer version may write unknown events: then anything may have changed.
            let event = serde_json::from_str(&text).unwrap_or(Event::Resync);
            self.events.hear(Message { id, event });
        }
        self.events.forget_seen();
        (self.horizon, self.database_read, self.read_at) = (Some(page.horizon), page.database, began);
        self.events.freshness().note_read(began.0);
        Ok(())
    }
}

fn no_answer() -> DbErr {
    DbErr::Custom("no answer".to_owned())
}
