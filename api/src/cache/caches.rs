//! All caches, and the entries that each event drops. `known_servers` only saves writes, so no event concerns it.

use std::sync::Arc;
use std::time::Duration;

use entities::{PlayId, shield_flag};
use moka::future::Cache;
use runtime::{Event, Events};

use crate::cache::commands::{Commands, OwnServer};
use crate::cache::event_fed::EventFed;
use crate::cache::keys::Keys;
use crate::cache::sanctions::Sanctions;
use crate::cache::sessions::Sessions;

/// Cached players of Shield, flagged or clean.
const FLAGS: u64 = 100_000;
const KNOWN_SERVERS: u64 = 50_000;
/// Far shorter than the retention of stale servers' rows.
const KNOWN_SERVER_LIFE: Duration = Duration::from_secs(10 * 60);

pub(crate) struct Caches {
    pub(crate) keys: Keys,
    pub(crate) sanctions: Sanctions,
    /// Results of single checks, until any flag changes: most players are clean, and are checked at each join.
    pub(crate) flags: EventFed<PlayId, Option<Arc<shield_flag::Model>>>,
    pub(crate) sessions: Sessions,
    pub(crate) commands: Commands,
    /// Game servers known to have a row, so that a heartbeat need not insert one first.
    pub(crate) known_servers: Cache<OwnServer, ()>,
}

impl Caches {
    pub(crate) fn new(events: &Events) -> Self {
        Self {
            keys: Keys::new(events),
            sanctions: Sanctions::new(events),
            flags: EventFed::new(events, FLAGS),
            sessions: Sessions::new(events),
            commands: Commands::new(events),
            known_servers: Cache::builder()
                .max_capacity(KNOWN_SERVERS)
                .time_to_live(KNOWN_SERVER_LIFE)
                .build(),
        }
    }

    /// Drops what the event makes stale.
    pub(crate) async fn hear(&self, event: &Event) {
        match event {
            Event::KeyChanged { public_id } => self.keys.rows.forget(public_id).await,
            Event::Moderation { guild, chat_id, play_id, .. } => {
                let person = entities::Person { chat: *chat_id, play: *play_id };
                self.sanctions.forget(*guild, person).await;
            }
            Event::LinksChanged { .. } => self.sanctions.forget_persons(),
            Event::SessionEnded { guild, session } => self.sessions.entries.forget(&(*guild, *session)).await,
            Event::CommandAcknowledged { guild, server_id } => {
                self.commands.entries.forget(&(*guild, server_id.clone())).await;
            }
            Event::CommandQueued { guild, servers, .. } => {
                for (_, server) in servers {
                    self.commands.entries.forget(&(*guild, server.clone())).await;
                }
            }
            // Flags arrive by the thousand and seldom: drop all entries.
            Event::ShieldChanged => self.flags.forget_all(),
            Event::Resync => self.forget_all(),
            Event::BindingsChanged { .. } | Event::SettingsChanged { .. } | Event::JobCancelled { .. } => {}
        }
    }

    fn forget_all(&self) {
        self.keys.rows.forget_all();
        self.sanctions.forget_all();
        self.flags.forget_all();
        self.sessions.entries.forget_all();
        self.commands.entries.forget_all();
    }
}

#[cfg(test)]
mod tests;
