//! `/interactions/...` (docs/rules.md 5): sync one member or all, give and take roles by hand.

mod roles;
mod sync;
mod sync_all;

pub(crate) use roles::{assign, remove};
pub(crate) use sync::sync;
pub(crate) use sync_all::{check_bot, sync_all};
