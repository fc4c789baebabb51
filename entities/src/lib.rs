//! The schema in Rust: typed ids, and one module per table with its model and every query on it.
//!
//! SQL stands nowhere else. A finder of something that belongs to a guild takes the guild, so that a handler cannot
//! forget it. Functions take any connection: hand in a transaction where the change must commit with its audit entry
//! and its job. Time is always handed in.

pub mod api_key;
pub mod audit_entry;
pub mod binding;
pub mod fired_schedule;
pub mod guild;
pub mod idempotency;
mod ids;
pub mod job;
pub mod job_failure;
pub mod key_text;
pub mod leader_lease;
pub mod link;

use chrono::{DateTime, Utc};
pub use ids::{
    AuditId, BindingId, ChannelId, ChatId, GroupId, GuildId, IdError, JobId, KeyId, PlayId, RoleId,
};

/// UTC, microseconds at the finest: what both databases keep.
pub type Timestamp = DateTime<Utc>;
