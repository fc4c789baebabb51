//! All caches, and the entries that each event drops. `known_servers` only saves writes, so no event concerns it.

use runtime::{Database, Event, Freshness, Shutdown};

use crate::cache::commands::Commands;
use crate::cache::flags::Flags;
use crate::cache::keys::Keys;
use crate::cache::known_servers::KnownServers;
use crate::cache::moderation::Moderation;
use crate::cache::sessions::Sessions;

pub(crate) struct Caches {
    pub(crate) keys: Keys,
    pub(crate) moderation: Moderation,
    pub(crate) flags: Flags,
    pub(crate) sessions: Sessions,
    pub(crate) commands: Commands,
    pub(crate) known_servers: KnownServers,
}

impl Caches {
    pub(crate) fn new(database: &Database, freshness: &Freshness, shutdown: &Shutdown) -> Self {
        Self {
            keys: Keys::new(freshness),
            moderation: Moderation::new(database, freshness, shutdown),
            flags: Flags::new(freshness),
            sessions: Sessions::new(freshness),
            commands: Commands::new(freshness),
            known_servers: KnownServers::new(),
        }
    }

    /// Drops what the event makes stale.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::KeyChanged { public_id } => self.keys.forget(public_id),
            Event::Moderation { guild, chat_id, play_id, .. } => {
                let person = entities::Person { chat: *chat_id, play: *play_id };
                self.moderation.change(*guild, person);
            }
            Event::LinksChanged { guild } => self.moderation.forget(*guild),
            Event::SessionEnded { guild, session } => self.sessions.forget((*guild, *session)),
            Event::CommandAcknowledged { guild, server_id } => {
                self.commands.forget(&(*guild, server_id.clone()));
            }
            Event::CommandQueued { guild, servers, .. } => {
                for (_, server) in servers {
                    self.commands.forget(&(*guild, server.clone()));
                }
            }
            Event::ShieldChanged => self.flags.forget_all(),
            Event::Resync => self.forget_all(),
            Event::NamesChanged { .. }
            | Event::BindingsChanged { .. }
            | Event::SettingsChanged { .. }
            | Event::JobsCancelled { .. } => {}
        }
    }

    fn forget_all(&self) {
        self.keys.forget_all();
        self.moderation.forget_all();
        self.flags.forget_all();
        self.sessions.forget_all();
        self.commands.forget_all();
    }
}

#[cfg(test)]
mod tests;
