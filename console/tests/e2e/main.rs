//! The console through HTTP, as a browser without JavaScript and as a real one: a file for each area of pages. Tests of
//! all pages are in `security`. Run them with `./test`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod applications;
mod applying;
mod audit;
mod ban_import;
mod bindings;
mod browser;
mod dead_ends;
mod errors;
mod example;
mod export;
mod find;
mod forms;
mod instance;
mod jobs;
mod keys;
mod link_import;
mod linking;
mod log_channels;
mod member_accounts;
mod member_pages;
mod members;
mod moderation;
mod names;
mod overview;
mod own_links;
mod own_matters;
mod paused;
mod people_fields;
mod security;
mod server_players;
mod servers;
mod settings;
mod shield;
mod size;
mod staff;
mod staff_lists;
mod sync;
mod undo;
mod webhooks;

/// The keeper process of the shared deployment of a mode (`testkit/src/shared.rs`), not a test.
#[test]
#[ignore = "started by the tests that share a deployment"]
fn keeper() {
    testkit::keep();
}
