//! `/shield/...` (docs/rules.md 9): game users flagged for all guilds. Every guild reads; who is on the allowlist writes.

mod batch;
mod check;
mod flags;
mod import;

pub(crate) use batch::batch;
pub(crate) use check::check;
pub(crate) use flags::{Flags, listen};
pub(crate) use import::{USERS_MAX, import};
