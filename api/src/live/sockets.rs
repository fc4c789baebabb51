//! Live sockets of this process: the guild and server of each, and delivery of messages to them (docs/rules.md 7).
//!
//! Messages are made of events from any process and put into the bounded queue of each socket they concern. A socket
//! whose queue is full is closed, and its client reconnects.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::{GuildId, PlaceId};
use tokio::sync::{mpsc, oneshot};

use crate::live::frames::Frame;
use crate::response::error::ApiError;

/// Queue capacity of one socket, frames.
pub(crate) const QUEUE: usize = 256;
/// Maximum sockets of this process, and of one guild in it, so that no guild uses all of them.
const MOST_SOCKETS: usize = 5_000;
const MOST_OF_A_GUILD: usize = 1_000;

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
    TooSlow,
    /// An internal error; a retry may succeed.
    Failed,
}

/// Instructions for a socket's task.
#[derive(Debug)]
pub(crate) enum Message {
    Frame(Frame),
    /// Events were lost: read the pending commands again.
    ReadAgain,
}

struct Listener {
    place: Place,
    /// Public id of its key.
    public_id: String,
    pub(crate) messages: mpsc::Sender<Message>,
    ending: oneshot::Sender<Ending>,
}

#[derive(Clone, Default)]
pub(crate) struct Live(Arc<Mutex<Listeners>>);

#[derive(Default)]
struct Listeners {
    next: u64,
    count: usize,
    by_guild: HashMap<GuildId, HashMap<u64, Listener>>,
}

/// A socket's registration; removed when dropped.
pub(crate) struct Subscription {
    live: Live,
    guild: GuildId,
    number: u64,
    pub(crate) messages: mpsc::Receiver<Message>,
    pub(crate) ending: oneshot::Receiver<Ending>,
}

impl Live {
    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(
        &self,
        guild: GuildId,
        place: Place,
        public_id: String,
    ) -> Result<Subscription, ApiError> {
        let (messages_in, messages) = mpsc::channel(QUEUE);
        let (ending_in, ending) = oneshot::channel();
        let mut listeners = self.lock();
        let of_guild = listeners.by_guild.get(&guild).map_or(0, HashMap::len);
        if listeners.count >= MOST_SOCKETS || of_guild >= MOST_OF_A_GUILD {
            return Err(ApiError::unavailable(
                "sockets_full",
                "this process holds as many sockets as it may",
            ));
        }
        let number = listeners.next;
        listeners.next += 1;
        listeners.count += 1;
        listeners.show_count();
        let listener = Listener { place, public_id, messages: messages_in, ending: ending_in };
        listeners.by_guild.entry(guild).or_default().insert(number, listener);
        Ok(Subscription { live: self.clone(), guild, number, messages, ending })
    }

    /// Queues a message for each socket of a guild for which `message_for` returns one.
    pub(crate) fn tell(&self, guild: GuildId, message_for: impl Fn(&Place) -> Option<Message>) {
        let mut listeners = self.lock();
        let Some(of_guild) = listeners.by_guild.get_mut(&guild) else { return };
        let deliver = |listener: &Listener| {
            message_for(&listener.place).is_none_or(|message| listener.messages.try_send(message).is_ok())
        };
        let slow: Vec<u64> =
            of_guild.iter().filter(|(_, listener)| !deliver(listener)).map(|(number, _)| *number).collect();
        for number in slow {
            listeners.end(guild, number, Ending::TooSlow);
        }
    }

    pub(crate) fn tell_all(&self, message: impl Fn() -> Message) {
        let guilds: Vec<GuildId> = self.lock().by_guild.keys().copied().collect();
        for guild in guilds {
            self.tell(guild, |_| Some(message()));
        }
    }

    /// Public ids of the keys in use.
    pub(crate) fn keys(&self) -> Vec<String> {
        let listeners = self.lock();
        let all = listeners.by_guild.values().flat_map(HashMap::values);
        let mut keys: Vec<String> = all.map(|listener| listener.public_id.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Closes every socket that was opened with this key.
    pub(crate) fn end_key(&self, public_id: &str) {
        let mut listeners = self.lock();
        let of_key: Vec<(GuildId, u64)> = listeners
            .by_guild
            .iter()
            .flat_map(|(guild, of_guild)| of_guild.iter().map(move |(number, who)| (*guild, *number, who)))
            .filter(|(.., listener)| listener.public_id == public_id)
            .map(|(guild, number, _)| (guild, number))
            .collect();
        for (guild, number) in of_key {
            listeners.end(guild, number, Ending::KeyNoLongerGood);
        }
    }
}

impl Listeners {
    fn remove(&mut self, guild: GuildId, number: u64) -> Option<Listener> {
        let of_guild = self.by_guild.get_mut(&guild)?;
        let removed = of_guild.remove(&number)?;
        if of_guild.is_empty() {
            self.by_guild.remove(&guild);
        }
        self.count -= 1;
        self.show_count();
        Some(removed)
    }

    fn show_count(&self) {
        metrics::gauge!("guildhall_live_sockets")
            .set(f64::from(u32::try_from(self.count).unwrap_or(u32::MAX)));
    }

    fn end(&mut self, guild: GuildId, number: u64, why: Ending) {
        if let Some(listener) = self.remove(guild, number) {
            // Its task may have just ended.
            let _ = listener.ending.send(why);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.live.lock().remove(self.guild, self.number);
    }
}

#[cfg(test)]
mod tests;
