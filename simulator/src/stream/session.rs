//! One session of the event stream: its numbered events, kept for a resume.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use entities::GuildId;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// Events kept for a resume.
const KEPT: usize = 200_000;

/// What a connection sends.
#[derive(Debug)]
pub(crate) enum Frame {
    Text(Value),
    /// The connection ends without a word.
    Cut,
}

pub(crate) type Frames = UnboundedSender<Frame>;

#[derive(Debug)]
pub(crate) struct Session {
    shard: (u64, u64),
    intents: u64,
    sequence: u64,
    kept: VecDeque<Value>,
    /// Events to be sent in reverse order.
    held: Vec<(&'static str, Value)>,
    frames: Option<Frames>,
    detached: Option<Instant>,
}

impl Session {
    pub(crate) fn new(shard: (u64, u64), intents: u64, frames: Frames) -> Self {
        let (kept, held) = (VecDeque::new(), Vec::new());
        Self { shard, intents, sequence: 0, kept, held, frames: Some(frames), detached: None }
    }

    pub(crate) fn gets(&self, guild: GuildId, intent: u64) -> bool {
        self.intents & intent != 0 && self.has(Some(guild))
    }

    /// Direct messages belong to the first shard.
    pub(crate) fn has(&self, guild: Option<GuildId>) -> bool {
        let (shard, shards) = self.shard;
        guild.map_or(0, |guild| (guild.get().unsigned_abs() >> 22) % shards.max(1)) == shard
    }

    /// Continues behind the event of this number. False: some of the others are gone.
    pub(crate) fn resume(&mut self, seq: u64, frames: Frames) -> bool {
        let first = self.sequence - self.kept.len() as u64;
        if seq < first || seq > self.sequence {
            return false;
        }
        let known = usize::try_from(seq - first).unwrap_or_default();
        self.kept.drain(..known);
        self.send(Frame::Cut);
        for event in &self.kept {
            let _ = frames.send(Frame::Text(event.clone()));
        }
        (self.frames, self.detached) = (Some(frames), None);
        self.push("RESUMED", json!({}));
        true
    }

    pub(crate) fn push(&mut self, event: &'static str, data: Value) {
        self.sequence += 1;
        let event = json!({ "op": 0, "s": self.sequence, "t": event, "d": data });
        self.send(Frame::Text(event.clone()));
        self.kept.push_back(event);
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
    }

    /// The same, but so many events are collected and come in reverse order.
    pub(crate) fn hold(&mut self, reorder: usize, event: &'static str, data: Value) {
        self.held.push((event, data));
        if self.held.len() >= reorder {
            while let Some((event, data)) = self.held.pop() {
                self.push(event, data);
            }
        }
    }

    pub(crate) fn send(&mut self, frame: Frame) {
        if let Some(frames) = &self.frames {
            let _ = frames.send(frame);
        }
    }

    pub(crate) fn is_served_by(&self, frames: &Frames) -> bool {
        self.frames.as_ref().is_some_and(|own| own.same_channel(frames))
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.frames.is_some()
    }

    pub(crate) fn detach(&mut self) {
        (self.frames, self.detached) = (None, Some(Instant::now()));
    }

    pub(crate) fn is_older_than(&self, age: Duration) -> bool {
        self.detached.is_some_and(|since| since.elapsed() > age)
    }
}
