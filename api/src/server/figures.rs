//! What this process holds and allows, for the operator's pages of the console.

use console::{CacheFigures, Held, ProcessFigures, Weighed};

use crate::cache::caches::Caches;
use crate::limits::rate_limit::RateLimit;
use crate::state::State;

pub(crate) fn of(state: &State) -> ProcessFigures {
    let capacity = state.capacity;
    let free = count(state.connections.available_permits());
    let connections = count(capacity.connections);
    ProcessFigures {
        connections: Held { now: connections.saturating_sub(free), most: connections },
        connections_per_address: count(capacity.connections_per_address),
        sockets: Held { now: count(state.live.count()), most: count(capacity.sockets) },
        sockets_per_guild: count(capacity.sockets_per_guild),
        caches: caches(&state.caches),
        rate_limits: RateLimit::figures().collect(),
    }
}

fn caches(caches: &Caches) -> Vec<CacheFigures> {
    let weighed = |name, ((entries, bytes), most): ((u64, u64), u64)| CacheFigures {
        name,
        entries,
        weighed: Weighed::Bytes,
        held: Held { now: bytes, most },
    };
    let counted = |name, (now, most): (u64, Option<u64>)| CacheFigures {
        name,
        entries: now,
        weighed: Weighed::Entries,
        held: Held { now, most: most.unwrap_or(0) },
    };
    let (known, (staff, most)) = (&caches.known_servers, caches.staff.held());
    vec![
        weighed("Bans and links of servers", caches.moderation.held()),
        weighed("Lists of bans and mutes", caches.active_lists.held()),
        weighed("Lists of members", caches.members.held()),
        weighed("Staff of servers", ((caches.staff.entries(), staff), most.unwrap_or(0))),
        counted("API keys", caches.keys.rows.held()),
        counted("Shield flags", caches.flags.held()),
        counted("Looked-up accounts", caches.links.held()),
        counted("Staff sessions", caches.sessions.entries.held()),
        counted("Game servers with commands", caches.commands.entries.held()),
        counted("Game servers seen", known.held()),
    ]
}

fn count(number: usize) -> u64 {
    number as u64
}
