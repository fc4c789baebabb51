//! The place of a shard in the stream, and its writing: with the jobs that follow from the events up to it, in one transaction.

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
                Ok(_) | Err(_) => self.write_surely(some).await?,
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
        let mut place = Model { seen_at: work.now(), ..self.place.clone() };
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
                Heard::Resumed | Heard::Other => {}
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
