//! Every kind of job from its row to its end: a SQLite file, the in-process queue, the real platform clients, and the
//! simulator behind them on a loopback port.

#![expect(
    clippy::unwrap_used,
    reason = "in a test's helpers as in the test: the message and the line are enough"
)]

mod crashes;
mod create_ticket;
mod fixture;
mod manual_roles;
mod mirror_ban;
mod others;
mod people;
mod scopes;
mod shield_import;
mod sync_all;
mod sync_chunk;
mod sync_member;
