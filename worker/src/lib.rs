//! The worker: one file for each kind of job, and the one list of them.
//!
//! A kind's arguments are in `queue::kinds`, what it does is the `run` in the file of its name. What several kinds share
//! has files of its own: `wanted` (what bindings and ranks call for), `nickname`, `permitted` (what the bot may do),
//! `apply` (the platform calls for a member), `names` (renamed players), `channel_name`, `errors` (platform errors in
//! public words).

mod apply;
mod assign_role;
mod channel_name;
mod create_ticket;
mod errors;
mod manual_role;
mod mirror_ban;
mod names;
mod nickname;
mod permitted;
mod remove_role;
mod shield_import;
mod sync_all;
mod sync_chunk;
mod sync_member;
#[cfg(test)]
mod testing;
mod wanted;

use platforms::Platforms;
use queue::Queue;
use queue::run::{Registry, Slots};
use runtime::{Context, Events};

/// What every job may use beside its [`queue::run::JobContext`]. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) platforms: Platforms,
    pub(crate) events: Events,
}

/// Every kind of job this build runs.
pub fn registry(platforms: Platforms, events: Events) -> Registry {
    let services = Services { platforms, events };
    Registry::default()
        .with(sync_member::Job(services.clone()))
        .with(sync_all::Job(services.clone()))
        .with(sync_chunk::Job(services.clone()))
        .with(assign_role::Job(services.clone()))
        .with(remove_role::Job(services.clone()))
        .with(mirror_ban::Job(services.clone()))
        .with(shield_import::Job(services.clone()))
        .with(create_ticket::Job(services))
}

/// Takes and runs jobs until the context's shutdown. Returns at once.
pub fn start(context: &Context, queue: &Queue, platforms: Platforms, slots: Slots) {
    let registry = registry(platforms, context.events.clone());
    let name = process_name();
    tracing::info!(worker = name, kinds = ?registry.kinds().collect::<Vec<_>>(), "taking jobs");
    queue::run::run(queue, registry, slots, &name);
}

/// This process in the rows of the jobs it holds: host, process id, and something a reused process id cannot repeat.
fn process_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "host",
        name => name,
    };
    let random = uuid::Uuid::now_v7().as_u128() & 0xffff_ffff;
    format!("{host}:{}:{random:08x}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_names_name_host_and_process_and_do_not_repeat() {
        let (one, two) = (process_name(), process_name());
        assert_ne!(one, two);
        let parts: Vec<&str> = one.split(':').collect();
        assert_eq!(parts.len(), 3);
        assert!(!parts[0].is_empty());
        assert_eq!(parts[1], std::process::id().to_string());
    }
}
