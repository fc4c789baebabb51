//! The product through its own front doors: the binary's commands and HTTP, in both modes, one file per area,
//! mirroring the URLs. Start it with `./test`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod audit_logs;
mod bindings;
mod cli_commands;
mod cross_guild;
mod demo;
mod distributed_only;
mod doctor;
mod documentation;
mod errors;
mod game_activity;
mod guilds;
mod health;
mod http_edges;
mod idempotency;
mod interactions;
mod jobs;
mod keys_and_guilds;
mod limits;
mod lookup;
mod moderation;
mod operators;
mod resilience;
mod servers;
mod shield;
mod staff;
mod start_errors;
mod sync_all;
mod sync_all_quota;
mod tickets;
mod turns;
mod websocket;

/// Not a test: the process that keeps the shared deployment of a mode (see `testkit/src/shared.rs`).
#[test]
#[ignore = "started by the tests that share a deployment"]
fn keeper() {
    testkit::keep();
}
