//! Imposes and lifts bans and mutes of one guild in one transaction (docs/rules.md 4).
//!
//! Used in `api/src/endpoints/moderation/` by `play/batch.rs` for what callers order and by `bans/import/` and
//! `bans/imports/undo/`, and by `worker/src/follow_ban.rs` for what happened on the chat platform.

mod batch;
mod kick;
mod order;

pub use batch::execute;
pub use kick::LiveServers;
pub use order::{Done, Imported, Order, Wanted};
