//! End-to-end tests through HTTP and the commands, in both modes, one file for each area of URLs. Run them with `./test`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod applications;
mod audit_export;
mod audit_logs;
mod audit_verify;
mod backup;
mod binding_fields;
mod binding_types;
mod bindings;
mod caps;
mod chat_commands;
mod cli_commands;
mod community;
mod consent;
mod cross_guild;
mod demo;
mod distributed_only;
mod doctor;
mod documentation;
mod door;
mod erasure;
mod errors;
mod follow;
mod game_activity;
mod game_trust;
mod gateway;
mod guild_removal;
mod guilds;
mod health;
mod hostile_guild;
mod http_edges;
mod idempotency;
mod interactions;
mod jobs;
mod key_commands;
mod keys_and_guilds;
mod keys_api;
mod large_lists;
mod leave_requests;
mod life;
mod limits;
mod link_attempts;
mod link_commands;
mod link_import;
mod link_messages;
mod link_rules;
mod link_swap;
mod links;
mod live_dashboard;
mod log_channels;
mod logs;
mod lookup;
mod lua;
mod many_at_once;
mod migrate;
mod moderation;
mod operators;
mod portable;
mod privileged_roles;
mod prometheus;
mod release;
mod resilience;
mod restore;
mod roles_changed;
mod secrets;
mod servers;
mod service_manager;
mod settings;
mod shell;
mod shield;
mod staff;
mod start_errors;
mod starting;
mod stopping;
mod studio;
mod sync_all;
mod sync_all_quota;
mod tls;
mod traces;
mod turns;
mod warm_caches;
mod webhooks;
mod websocket;

/// The keeper process of the shared deployment of a mode (`testkit/src/shared.rs`), not a test.
#[test]
#[ignore = "started by the tests that share a deployment"]
fn keeper() {
    testkit::keep();
}
