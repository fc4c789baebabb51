//! Every kind of job, with a SQLite file, the in-process queue and the platform clients against the simulator.

#![expect(
    clippy::unwrap_used,
    reason = "in a test's helpers as in the test: the message and the line are enough"
)]

mod bulk_again;
mod crashes;
mod create_ticket;
mod deliver_webhook;
mod direct_message;
mod few_connections;
mod fixture;
mod kicks;
mod link_changes;
mod link_roles;
mod manual_roles;
mod mirror_ban;
mod others;
mod people;
mod post_news;
mod process;
mod publish_panel;
mod scopes;
mod shield_import;
mod sync_all;
mod sync_chunk;
mod sync_member;
