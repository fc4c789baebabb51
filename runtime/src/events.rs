//! Change events for caches, sockets and running jobs: applied in this process when its own change commits, and read from
//! the change log by all others.
//!
//! An event is written with its change ([`Events::record`]), so a committed change is never missed: every process reads
//! the log four times a second ([`Events::follow`]). Redis only shortens the wait, and may be gone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use entities::{Timestamp, change_log};
use sea_orm::{ConnectionTrait, DbErr};
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use crate::redis::Redis;
use crate::shutdown::Shutdown;
use crate::subscription;

mod event;
mod follower;
mod publisher;

use event::{Message, channel};
pub use event::{Event, ModerationVerb};
use publisher::Publisher;

/// Events a slow subscriber may lag behind before it gets `Lagged`, which it treats like [`Event::Resync`].
const BACKLOG: usize = 4_096;
/// Caches count as stale when the change log was not read for this long (docs/rules.md 4).
const FRESH_FOR: Duration = Duration::from_secs(1);
/// For how long checks go on from memory while the database is away (docs/rules.md 4).
const STALE_FOR: Duration = Duration::from_mins(5);
/// How long an event is known after it was last met, in the log or on Redis.
const SEEN_FOR: Duration = Duration::from_secs(60);

/// What a process does with each event.
type Apply = Box<dyn Fn(&Event) + Send + Sync>;

#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    local: broadcast::Sender<Event>,
    apply: OnceLock<Apply>,
    seen: Mutex<HashMap<Uuid, Instant>>,
    freshness: Freshness,
    publisher: Option<Publisher>,
}

/// Events in the change log, to be published after the commit of their transaction.
#[derive(Debug, Default)]
pub struct Recorded(Vec<Message>);

/// Whether this process has read the change log within the last second.
#[derive(Clone, Debug)]
pub struct Freshness {
    started: Instant,
    /// Nanoseconds from `started` to the begin of the last read; 0: none.
    read_at: Arc<AtomicU64>,
    /// Whether the last read failed: the database is away.
    failing: watch::Sender<bool>,
}

impl Events {
    pub fn in_process() -> Self {
        Self::new(None)
    }

    /// Sends events to all processes on this Redis and prefix, and receives theirs.
    pub fn redis(redis: &Redis, shutdown: &Shutdown) -> Self {
        let events = Self::new(Some(Publisher::start(redis.clone(), shutdown)));
        let listening = events.clone();
        let hear = move |message: &[u8]| match serde_json::from_slice(message) {
            Ok(message) => listening.hear(message),
            Err(error) => tracing::debug!(%error, "an event was not understood: the change log decides"),
        };
        subscription::start(redis, channel(redis), hear, shutdown);
        events
    }

    fn new(publisher: Option<Publisher>) -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        let (seen, freshness) = (Mutex::default(), Freshness::new());
        Self(Arc::new(Inner { local, apply: OnceLock::new(), seen, freshness, publisher }))
    }

    /// Writes the events of a change into the change log, in the transaction of the change.
    pub async fn record<C: ConnectionTrait>(
        conn: &C,
        events: impl IntoIterator<Item = Event>,
        now: Timestamp,
    ) -> Result<Recorded, DbErr> {
        let messages: Vec<_> = events.into_iter().map(Message::new).collect();
        if !messages.is_empty() {
            let row = |message: &Message| {
                let text =
                    serde_json::to_string(&message.event).map_err(|error| DbErr::Json(error.to_string()))?;
                Ok((message.id, text))
            };
            let rows = messages.iter().map(row).collect::<Result<Vec<_>, DbErr>>()?;
            change_log::write(conn, rows, now).await?;
        }
        Ok(Recorded(messages))
    }

    /// Call it after the commit; never blocks. When it returns, this process has applied the events.
    pub fn publish(&self, recorded: Recorded) {
        for message in recorded.0 {
            self.apply(&message.event);
            if let Some(publisher) = &self.0.publisher {
                publisher.publish(message.clone());
            }
            self.announce(message);
        }
    }

    /// Sets what applies each event before subscribers get it. Only the first call counts.
    pub fn on_event(&self, apply: impl Fn(&Event) + Send + Sync + 'static) {
        let _ = self.0.apply.set(Box::new(apply));
    }

    /// All events from now on, each once. Treat `RecvError::Lagged` like [`Event::Resync`].
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.local.subscribe()
    }

    /// Whether what was read earlier still holds, unless an event said otherwise.
    pub fn freshness(&self) -> &Freshness {
        &self.0.freshness
    }

    /// An event from another process, by either way.
    fn hear(&self, message: Message) {
        if !self.has_seen(message.id) {
            self.apply(&message.event);
            self.announce(message);
        }
    }

    /// Events were missed.
    fn resync(&self) {
        self.hear(Message::new(Event::Resync));
    }

    fn apply(&self, event: &Event) {
        if let Some(apply) = self.0.apply.get() {
            apply(event);
        }
    }

    fn has_seen(&self, id: Uuid) -> bool {
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get_mut(&id).map(|at| *at = Instant::now()).is_some()
    }

    fn announce(&self, message: Message) {
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.insert(message.id, Instant::now()).is_none() {
            // An error only means that this process has no subscriber.
            let _ = self.0.local.send(message.event);
        }
    }

    fn forget_seen(&self) {
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| at.elapsed() < SEEN_FOR);
    }
}

impl Freshness {
    fn new() -> Self {
        Self { started: Instant::now(), read_at: Arc::default(), failing: watch::Sender::new(false) }
    }

    pub fn is_fresh(&self) -> bool {
        self.was_read_within(FRESH_FOR)
    }

    /// Resolves while the database is away and was there within the last five minutes: what is in memory may then be
    /// answered, as long as the answer says so.
    async fn lost(&self) {
        let mut failing = self.failing.subscribe();
        // Its sender lives as long as `self`.
        let _ = failing.wait_for(|failing| *failing && self.was_read_within(STALE_FOR)).await;
    }

    /// The result of a read of the database; `None`: the database is away, and was there within the last five minutes.
    pub async fn unless_lost<T, E>(&self, read: impl Future<Output = Result<T, E>>) -> Option<Result<T, E>> {
        tokio::select! {
            biased;
            () = self.lost() => None,
            read = read => match read {
                // The log's next read tells whether the database is away.
                Err(_) if tokio::time::timeout(FRESH_FOR, self.lost()).await.is_ok() => None,
                read => Some(read),
            },
        }
    }

    fn was_read_within(&self, limit: Duration) -> bool {
        let read_at = Duration::from_nanos(self.read_at.load(Ordering::Acquire));
        !read_at.is_zero() && self.started.elapsed().saturating_sub(read_at) < limit
    }

    fn failed(&self) {
        self.failing.send_replace(true);
    }

    fn read(&self, began: Instant) {
        let since = began.saturating_duration_since(self.started);
        self.read_at.store(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX), Ordering::Release);
        self.failing.send_if_modified(|failing| std::mem::replace(failing, false));
    }
}

#[cfg(test)]
mod tests;
