//! Bans and mutes (docs/rules.md 4) in one table, distinguished by [`SanctionKind`]. At most one of a kind is open for
//! a guild, person and place, or for each account of a person who was linked later.
//!
//! Modules: [`change`] creates and lifts them, [`active`] answers who is banned or muted, [`list`] what game servers keep of
//! that and what changed since, [`whole`] reads all of it, [`expiry`] closes expired ones, [`history`] lists all, [`import`] writes many from a file,
//! [`mirror`] tracks the copy of a ban on the chat platform, [`counting`] tells what counts as a staff action.

pub mod active;
pub mod change;
mod closing;
pub mod counting;
pub mod expiry;
pub mod history;
pub mod import;
pub mod list;
pub mod mirror;
mod model;
mod new;
mod number;
mod succession;
pub mod whole;

pub use model::{Column, Entity, Lifted, MirrorState, Model, Places, SanctionKind};
