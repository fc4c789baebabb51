//! The worker: one file for each kind of job, and the list of them.
//!
//! The arguments of a kind are in `jobs`; the file of its name has its `run`. Shared code has separate files:
//! `wanted` (loads the guild's rules; `platforms/src/sync_rules.rs` says what they demand), `permitted` (the bot's permissions), `apply` (platform
//! calls for a member), `states` (what its events will show), `names` (renamed players), `channel_name`, `errors` (platform errors as failures).

mod apply;
mod assign_role;
mod catch_up;
mod channel_name;
mod create_ticket;
mod deliver_webhook;
mod direct_message;
mod erase_account;
mod errors;
mod follow_ban;
mod greet_member;
mod manual_role;
mod mirror_ban;
mod names;
mod permitted;
mod post_news;
mod publish_panel;
mod remove_role;
mod shield_import;
mod staff_by_role;
mod states;
mod sync_all;
mod sync_chunk;
mod sync_member;
#[cfg(test)]
mod testing;
mod undo_sync;
mod unlink_member;
mod wanted;

use platforms::Platforms;
use queue::Queue;
use queue::run::{Registry, Slots};

/// Every kind of job this build runs.
/// `public_url`: where people's browsers find the console, for links.
pub fn registry(platforms: Platforms, public_url: Option<String>) -> Registry {
    Registry::default()
        .with(sync_member::Job(platforms.clone()))
        .with(staff_by_role::Job(platforms.clone()))
        .with(greet_member::Job(platforms.clone()))
        .with(catch_up::Job(platforms.clone()))
        .with(unlink_member::Job(platforms.clone()))
        .with(direct_message::Job(platforms.clone()))
        .with(sync_all::Job(platforms.clone()))
        .with(sync_chunk::Job(platforms.clone()))
        .with(undo_sync::Job)
        .with(assign_role::Job(platforms.clone()))
        .with(remove_role::Job(platforms.clone()))
        .with(mirror_ban::Job(platforms.clone()))
        .with(follow_ban::Job(platforms.clone()))
        .with(shield_import::Job(platforms.clone()))
        .with(deliver_webhook::Job(platforms.clone()))
        .with(post_news::Job { platforms: platforms.clone(), public_url })
        .with(erase_account::Job)
        .with(publish_panel::Job(platforms.clone()))
        .with(create_ticket::Job(platforms))
}

/// Claims and runs jobs until the queue's shutdown. Returns at once.
pub fn start(queue: &Queue, platforms: Platforms, public_url: Option<String>, slots: Slots) {
    queue::run::run(queue, registry(platforms, public_url), slots);
}
