//! The trickier queries, each against a SQLite file and, where `GUILDHALL_TEST_DATABASE_URL` is set, Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod actions;
mod bans;
mod bans_upkeep;
mod commands;
mod idempotency;
mod leave;
mod million;
mod quotas;
mod sessions;
mod shield;
mod staff;
mod support;
mod tickets;
