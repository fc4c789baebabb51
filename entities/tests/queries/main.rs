//! The trickier queries, each against a SQLite file and Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod actions;
mod audit_chain;
mod bans;
mod bans_of_people;
mod bans_together;
mod bans_upkeep;
mod bindings;
mod caps;
mod commands;
mod erasure;
mod fixture;
mod follow;
mod gateway;
mod guilds;
mod idempotency;
mod imports;
mod jobs;
mod keys;
mod leave;
mod link_attempts;
mod link_search;
mod log_channels;
mod million;
mod numbers;
mod plans;
mod queue_samples;
mod quotas;
mod retention;
mod rows_read;
mod sessions;
mod shield;
mod staff;
mod tickets;
mod webhooks;
