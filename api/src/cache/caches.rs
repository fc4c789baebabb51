//! All caches, and the entries that each event drops. `known_servers` only saves writes, so no event concerns it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use entities::{Places, PlayId, SanctionKind, Subject, Timestamp, link, staff_directory::PlayStaff};
use runtime::{Database, Event, Freshness, Shutdown, TimedCache};

use crate::cache::cache_metrics::Kept;
use crate::cache::commands::{Commands, OwnServer};
use crate::cache::flags::Flags;
use crate::cache::keys::Keys;
use crate::cache::lists::Lists;
use crate::cache::moderation::Moderation;
use crate::cache::of_guild::OfGuild;
use crate::cache::sessions::Sessions;

/// Looked-up accounts, linked or not.
const LINKS: usize = 100_000;
/// Bytes of the staff of all guilds together.
const STAFF: u64 = 32 * 1024 * 1024;
/// About the bytes of a staff member.
const STAFF_MEMBER: usize = 250;
const KNOWN_SERVERS: usize = 50_000;
/// Shorter than the time after which a silent server is offline: the row of an offline one may be deleted.
const KNOWN_SERVER_LIFE: Duration = Duration::from_secs(60);

/// The two lists of a guild's links.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MemberList {
    Members,
    VerifiedUsers,
}

/// The last word of a server in this process, and its last list of players.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) at: Timestamp,
    pub(crate) listed: Option<Timestamp>,
}

pub(crate) struct Caches {
    pub(crate) keys: Keys,
    pub(crate) moderation: Moderation,
    pub(crate) flags: Flags,
    pub(crate) active_lists: Lists<(SanctionKind, Places)>,
    pub(crate) members: Lists<MemberList>,
    pub(crate) links: OfGuild<Subject, Option<Arc<link::Model>>>,
    /// The staff members behind game accounts.
    pub(crate) staff: OfGuild<(), Arc<HashMap<PlayId, PlayStaff>>>,
    pub(crate) sessions: Sessions,
    pub(crate) commands: Commands,
    /// Game servers known to have a row, so that a heartbeat need not insert one first, and when each was last heard.
    pub(crate) known_servers: TimedCache<OwnServer, Heard>,
}

impl Caches {
    pub(crate) fn new(database: &Database, freshness: &Freshness, shutdown: &Shutdown) -> Self {
        Self {
            keys: Keys::new(freshness),
            moderation: Moderation::new(database, freshness, shutdown),
            flags: Flags::new(database, freshness, shutdown),
            active_lists: Lists::new("active_lists", freshness),
            members: Lists::new("members", freshness),
            links: OfGuild::new("links", freshness, LINKS),
            staff: OfGuild::weighed("staff", freshness, STAFF, |staff| {
                ((staff.len() + 1) * STAFF_MEMBER) as u64
            }),
            sessions: Sessions::new(freshness),
            commands: Commands::new(freshness),
            known_servers: TimedCache::new(KNOWN_SERVERS, KNOWN_SERVER_LIFE),
        }
    }

    /// Drops what the event makes stale.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::KeyChanged { public_id } => self.keys.rows.forget(public_id.as_str()),
            Event::Moderation { guild, chat_id, play_id, .. } => {
                let person = entities::Person { chat: *chat_id, play: *play_id };
                self.moderation.invalidate(*guild, person);
                self.active_lists.forget(*guild);
            }
            Event::LinksChanged { guild } => {
                self.moderation.forget(*guild);
                self.active_lists.forget(*guild);
                self.members.forget(*guild);
                self.links.forget(*guild);
                self.staff.forget(*guild);
            }
            Event::NamesChanged { guild } => {
                self.members.forget(*guild);
                self.links.forget(*guild);
            }
            Event::StaffChanged { guild } => self.staff.forget(*guild),
            Event::SessionEnded { guild, session } => self.sessions.entries.forget(&(*guild, *session)),
            Event::CommandAcknowledged { guild, server_id } => {
                self.commands.entries.forget(&(*guild, server_id.clone()));
            }
            Event::CommandQueued { guild, servers, .. } => {
                for (_, server) in servers {
                    self.commands.entries.forget(&(*guild, server.clone()));
                }
            }
            Event::ShieldChanged { plays } => self.flags.change(plays),
            Event::Resync => self.forget_all(),
            Event::JobsCancelled { .. } => {}
        }
    }

    /// Frees memory for another large list.
    pub(crate) fn drop_large_lists(&self) {
        self.active_lists.drop_large();
        self.members.drop_large();
    }

    /// Writes how much each holds to its metrics.
    pub(crate) fn report(&self) {
        self.all().into_iter().for_each(Kept::report);
    }

    fn forget_all(&self) {
        self.all().into_iter().for_each(Kept::forget_all);
    }

    fn all(&self) -> [&dyn Kept; 9] {
        // Without `..`: a new cache is listed here, or this does not compile.
        let Self {
            keys,
            moderation,
            flags,
            active_lists,
            members,
            links,
            staff,
            sessions,
            commands,
            known_servers: _,
        } = self;
        [
            &keys.rows,
            moderation,
            flags,
            active_lists,
            members,
            links,
            staff,
            &sessions.entries,
            &commands.entries,
        ]
    }
}

#[cfg(test)]
mod tests;
