//! All caches, and the entries that each event drops. `known_servers` only saves writes, so no event concerns it.

use std::sync::Arc;
use std::time::Duration;

use entities::{PlayId, shield_flag};
use moka::sync::Cache;
use runtime::{Database, Event, Freshness, Shutdown};

use crate::cache::commands::{Commands, OwnServer};
use crate::cache::event_fed::EventFed;
use crate::cache::keys::Keys;
use crate::cache::moderation::Moderation;
use crate::cache::sessions::Sessions;

/// Cached players of Shield, flagged or clean.
const FLAGS: u64 = 100_000;
const KNOWN_SERVERS: u64 = 50_000;
/// Far shorter than the retention of stale servers' rows.
const KNOWN_SERVER_LIFE: Duration = Duration::from_secs(10 * 60);

pub(crate) struct Caches {
    pub(crate) keys: Keys,
    pub(crate) moderation: Moderation,
    /// Results of single checks, until any flag changes: most players are clean, and are checked at each join.
    pub(crate) flags: EventFed<PlayId, Option<Arc<shield_flag::Model>>>,
    pub(crate) sessions: Sessions,
    pub(crate) commands: Commands,
    /// Game servers known to have a row, so that a heartbeat need not insert one first.
    pub(crate) known_servers: Cache<OwnServer, ()>,
}

impl Caches {
    pub(crate) fn new(database: &Database, freshness: &Freshness, shutdown: &Shutdown) -> Self {
        Self {
            keys: Keys::new(freshness),
            moderation: Moderation::new(database, freshness, shutdown),
            flags: EventFed::new(freshness, FLAGS),
            sessions: Sessions::new(freshness),
            commands: Commands::new(freshness),
            known_servers: Cache::builder()
                .max_capacity(KNOWN_SERVERS)
                .time_to_live(KNOWN_SERVER_LIFE)
                .build(),
        }
    }

    /// Drops what the event makes stale.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::KeyChanged { public_id } => self.keys.rows.forget(public_id),
            Event::Moderation { guild, chat_id, play_id, .. } => {
                let person = entities::Person { chat: *chat_id, play: *play_id };
                self.moderation.change(*guild, person);
            }
            Event::LinksChanged { guild } => self.moderation.forget(*guild),
            Event::SessionEnded { guild, session } => self.sessions.entries.forget(&(*guild, *session)),
            Event::CommandAcknowledged { guild, server_id } => {
                self.commands.entries.forget(&(*guild, server_id.clone()));
            }
            Event::CommandQueued { guild, servers, .. } => {
                for (_, server) in servers {
                    self.commands.entries.forget(&(*guild, server.clone()));
                }
            }
            // Flags arrive by the thousand and seldom: drop all entries.
            Event::ShieldChanged => self.flags.forget_all(),
            Event::Resync => self.forget_all(),
            Event::NamesChanged { .. }
            | Event::BindingsChanged { .. }
            | Event::SettingsChanged { .. }
            | Event::JobsCancelled { .. } => {}
        }
    }

    fn forget_all(&self) {
        self.keys.rows.forget_all();
        self.moderation.forget_all();
        self.flags.forget_all();
        self.sessions.entries.forget_all();
        self.commands.entries.forget_all();
    }
}

#[cfg(test)]
mod tests;
