//! In-memory caches of this process, which keep queries off the hot path.

mod by_number;
mod cache_metrics;
pub(crate) mod caches;
pub(crate) mod commands;
pub(crate) mod event_fed;
pub(crate) mod failed_keys;
pub(crate) mod flags;
pub(crate) mod guild_state;
pub(crate) mod heartbeats;
pub(crate) mod keys;
pub(crate) mod lists;
pub(crate) mod moderation;
pub(crate) mod of_guild;
pub(crate) mod room;
pub(crate) mod sanctions;
pub(crate) mod sessions;
