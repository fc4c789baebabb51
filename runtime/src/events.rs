//! Change events for caches, sockets and running jobs: applied in this process when its own change commits, and read from
//! the change log by all others.
//!
//! An event is written with its change ([`Events::record`]), so a committed change is never missed: every process reads
//! the log four times a second ([`Events::follow`]), in both modes. Redis only shortens the wait, and may be away.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use entities::{Timestamp, change_log};
use sea_orm::sea_query::InsertStatement;
use sea_orm::{ConnectionTrait, DbErr};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::database::Breaker;
use crate::redis::Redis;
use crate::shutdown::Shutdown;
use crate::subscription;

mod event;
mod follower;
mod freshness;
mod publisher;

pub use event::{Event, ModerationVerb};
use event::{Message, channel};
pub use freshness::Freshness;
use publisher::Publisher;

/// Events a slow subscriber may lag behind before it gets `Lagged`, which it treats like [`Event::Resync`].
const SUBSCRIBER_BACKLOG: usize = 4_096;
/// How long an event is remembered after it was last read, in the log or on Redis.
const SEEN_FOR: Duration = Duration::from_secs(60);
/// Interval at which remembered events are dropped.
const FORGET_INTERVAL: Duration = Duration::from_secs(1);

/// What a process does with each event.
type Apply = Box<dyn Fn(&Event) + Send + Sync>;

#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    local: broadcast::Sender<Event>,
    apply: OnceLock<Apply>,
    seen: Mutex<Seen>,
    freshness: Freshness,
    publisher: Option<Publisher>,
}

/// Events in the change log, to be published after the commit of their transaction.
#[derive(Debug, Default)]
pub struct Recorded(Vec<Message>);

#[derive(Default)]
struct Seen {
    /// When each event was last read.
    at: HashMap<Uuid, Instant>,
    swept_at: Option<Instant>,
}

impl Events {
    pub fn in_process(breaker: Breaker) -> Self {
        Self::new(None, breaker)
    }

    /// Sends events to all processes on this Redis and prefix, and receives theirs.
    pub fn redis(redis: &Redis, breaker: Breaker, shutdown: &Shutdown) -> Self {
        let events = Self::new(Some(Publisher::start(redis.clone(), shutdown)), breaker);
        let listening = events.clone();
        let hear = move |message: &[u8]| match serde_json::from_slice(message) {
            Ok(message) => listening.hear(message),
            Err(error) => tracing::debug!(%error, "cannot parse an event: the change log decides"),
        };
        subscription::start(redis, channel(redis), hear, shutdown);
        events
    }

    fn new(publisher: Option<Publisher>, breaker: Breaker) -> Self {
        let (local, _) = broadcast::channel(SUBSCRIBER_BACKLOG);
        let (seen, freshness) = (Mutex::default(), Freshness::new(breaker));
        Self(Arc::new(Inner { local, apply: OnceLock::new(), seen, freshness, publisher }))
    }

    /// Writes the events of a change into the change log, in the transaction of the change.
    pub async fn record<C: ConnectionTrait>(
        conn: &C,
        events: impl IntoIterator<Item = Event>,
        now: Timestamp,
    ) -> Result<Recorded, DbErr> {
        let (recorded, inserts) = Self::prepare(events, now)?;
        for insert in inserts {
            conn.execute(&insert).await?;
        }
        Ok(recorded)
    }

    /// The events of a change, and the statements that write them, for
    /// [`Transaction::commit_with`](crate::Transaction::commit_with).
    pub fn prepare(
        events: impl IntoIterator<Item = Event>,
        now: Timestamp,
    ) -> Result<(Recorded, Vec<InsertStatement>), DbErr> {
        let messages: Vec<_> = events.into_iter().map(Message::new).collect();
        let row = |message: &Message| {
            let text =
                serde_json::to_string(&message.event).map_err(|error| DbErr::Json(error.to_string()))?;
            Ok((message.id, text))
        };
        let rows = messages.iter().map(row).collect::<Result<Vec<_>, DbErr>>()?;
        Ok((Recorded(messages), change_log::inserts(rows, now)))
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

    /// Whether rows read earlier are still valid, unless an event invalidated them.
    pub fn freshness(&self) -> &Freshness {
        &self.0.freshness
    }

    /// An event from another process, from the log or Redis.
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
        self.seen().at.get_mut(&id).map(|at| *at = Instant::now()).is_some()
    }

    fn announce(&self, message: Message) {
        if self.seen().at.insert(message.id, Instant::now()).is_none() {
            // An error only means that this process has no subscriber.
            let _ = self.0.local.send(message.event);
        }
    }

    fn forget_seen(&self) {
        let (mut seen, now) = (self.seen(), Instant::now());
        if seen.swept_at.is_none_or(|at| now - at >= FORGET_INTERVAL) {
            seen.swept_at = Some(now);
            seen.at.retain(|_, at| now - *at < SEEN_FOR);
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
