//! `/staff/...` (docs/rules.md 6): who is staff, what they may and what they did.

mod action_types;
mod activity;
mod leaderboard;
mod members;
pub(crate) mod period;
mod permissions;
pub(crate) mod play;
mod stats;

pub(crate) use action_types::action_types;
pub(crate) use activity::activity;
pub(crate) use leaderboard::leaderboard;
pub(crate) use members::members;
pub(crate) use permissions::permissions;
pub(crate) use stats::stats;

use crate::http::error::ApiError;

/// 404: not staff of this guild.
pub(crate) fn not_staff() -> ApiError {
    ApiError::not_found("staff member")
}
