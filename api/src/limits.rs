//! What one guild, one client and this process may use.

pub(crate) mod batches;
pub(crate) mod capacity;
pub(crate) mod next_tick;
pub(crate) mod pace;
pub(crate) mod rate_limit;
pub(crate) mod turns;
