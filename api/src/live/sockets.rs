//! Live sockets of this process: the guild and server of each, and delivery of messages to them (docs/rules.md 7).
//!
//! Messages are made of events from any process and put into the bounded queue of each socket they concern. A socket
//! whose queue is full is closed, and its client reconnects.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use entities::{GuildId, PlaceId, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::limits::capacity::Capacity;
use crate::live::frames::Frame;
use crate::response::error::ApiError;

/// Queue capacity of one socket, frames.
pub(crate) const QUEUE: usize = 256;
/// Sockets that get a message before others may run in between.
const SLICE: usize = 256;

/// Sockets that read their commands again at the same time, after events were lost.
pub(crate) const READS: usize = 4;

/// The time between the opening of sockets: 1,400 a second, so that thousands of game servers that reconnect
/// at once leave time for requests.
pub(crate) const EACH: Duration = Duration::from_micros(700);
/// The burst of sockets that are opened at once after a pause: 28.
pub(crate) const BURST: Duration = Duration::from_millis(20);
/// How long a socket waits for its turn: clients give up after 10 s or more.
pub(crate) const LONGEST: Duration = Duration::from_secs(8);

/// The location of a game server.
pub(crate) struct Place {
    pub(crate) place: PlaceId,
    pub(crate) server: String,
}

/// Why this process closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    GoingAway,
    KeyNoLongerGood,
    /// The person at a dashboard is signed out or has no rights in the guild.
    NoLongerAllowed,
    TooSlow,
    /// An internal error; a retry may succeed.
    Failed,
}

/// Instructions for a socket's task. Small, because each socket's queue holds some.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    Frame(Arc<Frame>),
    /// Events were lost: read the pending commands again.
    ReadAgain,
}

/// Sockets of one server are neighbours.
type SocketId = (Arc<str>, u64);

struct Listener {
    place: PlaceId,
    public_id: Arc<str>,
    messages: mpsc::Sender<Message>,
    too_slow: oneshot::Sender<()>,
}

/// A key with open sockets.
struct OfKey {
    sockets: usize,
    expires_at: Option<Timestamp>,
    ended: CancellationToken,
}

#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Listeners>>);

struct Listeners {
    capacity: Capacity,
    next: u64,
    count: usize,
    by_guild: HashMap<GuildId, BTreeMap<SocketId, Listener>>,
    /// By public id.
    keys: HashMap<Arc<str>, OfKey>,
}

/// A socket's registration; removed when dropped.
pub(crate) struct Subscription {
    live: Live,
    guild: GuildId,
    id: SocketId,
    pub(crate) messages: mpsc::Receiver<Message>,
    pub(crate) too_slow: oneshot::Receiver<()>,
    pub(crate) key_ended: CancellationToken,
}

impl Live {
    pub(crate) fn new(capacity: Capacity) -> Self {
        let (by_guild, keys) = (HashMap::new(), HashMap::new());
        let listeners = Listeners { capacity, next: 0, count: 0, by_guild, keys };
        listeners.show_count();
        Self(Arc::new(Mutex::new(listeners)))
    }

    /// Sockets of this process.
    pub(crate) fn count(&self) -> usize {
        self.lock().count
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(
        &self,
        guild: GuildId,
        at: &Place,
        public_id: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<Subscription, ApiError> {
        let (messages_in, messages) = mpsc::channel(QUEUE);
        let (too_slow_in, too_slow) = oneshot::channel();
        let mut listeners = self.lock();
        let of_guild = listeners.by_guild.get(&guild).map_or(0, BTreeMap::len);
        listeners.check_room(of_guild)?;
        let id: SocketId = (at.server.as_str().into(), listeners.next);
        listeners.next += 1;
        listeners.count += 1;
        listeners.show_count();
        let (public_id, key_ended) = listeners.enter_key(public_id, expires_at);
        let listener = Listener { place: at.place, public_id, messages: messages_in, too_slow: too_slow_in };
        listeners.by_guild.entry(guild).or_default().insert(id.clone(), listener);
        Ok(Subscription { live: self.clone(), guild, id, messages, too_slow, key_ended })
    }

    /// Queues a message for the sockets of a guild, or of one place of it.
    pub(crate) async fn tell_guild(&self, guild: GuildId, place: Option<PlaceId>, message: &Message) {
        let mut next = self.lock().tell_slice(guild, place, message, Bound::Unbounded);
        while let Some(last) = next {
            tokio::task::yield_now().await;
            next = self.lock().tell_slice(guild, place, message, Bound::Excluded(last));
        }
    }

    /// Queues a frame for the sockets of one server; `frame` runs only if there are any.
    pub(crate) fn tell_server<E>(
        &self,
        guild: GuildId,
        server: String,
        frame: impl FnOnce() -> Result<Frame, E>,
    ) -> Result<(), E> {
        let mut listeners = self.lock();
        let Some(of_guild) = listeners.by_guild.get(&guild) else { return Ok(()) };
        let server: Arc<str> = server.into();
        let mut there = of_guild.range((server.clone(), 0)..=(server, u64::MAX)).peekable();
        if there.peek().is_none() {
            return Ok(());
        }
        let message = Message::Frame(frame()?.into());
        let slow =
            there.filter(|(_, listener)| !listener.takes(&message)).map(|(id, _)| id.clone()).collect();
        listeners.end_slow(guild, slow);
        Ok(())
    }

    pub(crate) async fn tell_all(&self, message: &Message) {
        let guilds: Vec<GuildId> = self.lock().by_guild.keys().copied().collect();
        for guild in guilds {
            self.tell_guild(guild, None, message).await;
        }
    }

    /// Public ids of the keys in use.
    pub(crate) fn keys(&self) -> Vec<Arc<str>> {
        self.lock().keys.keys().cloned().collect()
    }

    pub(crate) fn uses_key(&self, public_id: &str) -> bool {
        self.lock().keys.contains_key(public_id)
    }

    pub(crate) fn set_expiry(&self, public_id: &str, expires_at: Option<Timestamp>) {
        if let Some(key) = self.lock().keys.get_mut(public_id) {
            key.expires_at = expires_at;
        }
    }

    /// Closes every socket that was opened with this key.
    pub(crate) fn end_key(&self, public_id: &str) {
        if let Some(key) = self.lock().keys.get(public_id) {
            key.ended.cancel();
        }
    }

    /// Closes the sockets of all keys that have expired.
    pub(crate) fn end_expired_keys(&self, now: Timestamp) {
        for key in self.lock().keys.values() {
            if key.expires_at.is_some_and(|end| end <= now) {
                key.ended.cancel();
            }
        }
    }
}

impl Listener {
    /// `false`: its queue is full, or its task has ended.
    fn takes(&self, message: &Message) -> bool {
        self.messages.try_send(message.clone()).is_ok()
    }
}

impl Listeners {
    fn enter_key(&mut self, public_id: &str, expires_at: Option<Timestamp>) -> (Arc<str>, CancellationToken) {
        let public_id =
            self.keys.get_key_value(public_id).map_or_else(|| public_id.into(), |(id, _)| id.clone());
        let new = || OfKey { sockets: 0, expires_at, ended: CancellationToken::new() };
        let key = self.keys.entry(public_id.clone()).or_insert_with(new);
        key.sockets += 1;
        (public_id, key.ended.clone())
    }

    /// Queues the message for the sockets after this one; returns the last one of the slice, unless it was
    /// the guild's last.
    fn tell_slice(
        &mut self,
        guild: GuildId,
        place: Option<PlaceId>,
        message: &Message,
        after: Bound<SocketId>,
    ) -> Option<SocketId> {
        let mut rest = self.by_guild.get(&guild)?.range((after, Bound::Unbounded));
        let (mut slow, mut last) = (Vec::new(), None);
        for (id, listener) in rest.by_ref().take(SLICE) {
            let concerned = place.is_none_or(|place| place == listener.place);
            if concerned && !listener.takes(message) {
                slow.push(id.clone());
            }
            last = Some(id);
        }
        let last = rest.next().and(last.cloned());
        self.end_slow(guild, slow);
        last
    }

    fn end_slow(&mut self, guild: GuildId, slow: Vec<SocketId>) {
        for id in slow {
            if let Some(listener) = self.remove(guild, &id) {
                // Its task may have just ended.
                let _ = listener.too_slow.send(());
            }
        }
    }

    fn remove(&mut self, guild: GuildId, id: &SocketId) -> Option<Listener> {
        let of_guild = self.by_guild.get_mut(&guild)?;
        let removed = of_guild.remove(id)?;
        if of_guild.is_empty() {
            self.by_guild.remove(&guild);
        }
        if let Some(key) = self.keys.get_mut(&removed.public_id) {
            key.sockets -= 1;
            if key.sockets == 0 {
                self.keys.remove(&removed.public_id);
            }
        }
        self.count -= 1;
        self.show_count();
        Some(removed)
    }

    fn show_count(&self) {
        metrics::gauge!("guildhall_live_sockets")
            .set(f64::from(u32::try_from(self.count).unwrap_or(u32::MAX)));
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.live.lock().remove(self.guild, &self.id);
    }
}

pub(super) mod reserved;
#[cfg(test)]
mod tests;
