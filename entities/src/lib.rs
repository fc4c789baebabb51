//! The schema in Rust: typed ids, and one module per table with its model and every query on it.
//!
//! All SQL is in this crate. A finder of something that belongs to a guild takes the guild, so that a handler cannot
//! forget it. Functions take any connection: pass a transaction where the change must commit with its audit entry and
//! its job. Time is always passed in.

pub mod account;
pub mod api_key;
pub mod api_process;
pub mod application_comment;
pub mod application_panel;
pub mod application_search;
pub mod application_submission;
pub mod approval;
pub mod audit_action;
pub mod audit_chain;
pub mod audit_entry;
pub mod backup;
pub mod binding;
pub mod bulk;
pub mod bulk_sync;
mod by_id;
pub mod cap;
pub mod change_log;
pub mod chat_ban;
pub mod console_link;
pub mod console_operator;
pub mod console_session;
pub mod epoch;
pub mod erasure;
pub mod follow;
pub mod follow_budget;
#[cfg(test)]
mod fuzz;
pub mod game_server;
pub mod gateway_shard;
pub mod guild;
pub mod guild_figures;
mod hidden;
pub mod idempotency;
mod ids;
pub mod import;
pub mod job;
pub mod job_failure;
pub mod job_pause;
pub mod key_text;
pub mod leader_lease;
pub mod leaderboard;
pub mod leave_request;
pub mod link;
pub mod link_attempt;
pub mod link_history;
pub mod link_search;
mod lists;
pub mod loa;
pub mod log_channel;
pub mod moderation_revision;
pub mod news;
pub mod overview;
pub mod pending_action;
pub mod period;
pub mod portable;
pub mod process;
pub mod queue_sample;
pub mod quota;
pub mod quota_progress;
pub mod registered_game;
pub mod retention;
mod role_list;
mod same_json;
pub mod sanction;
pub mod schedule;
pub mod screened_member;
mod second;
pub mod server_command;
pub mod shield_flag;
mod some_rows;
pub mod staff_action;
pub mod staff_directory;
pub mod staff_member;
pub mod staff_note;
pub mod staff_role;
pub mod staff_session;
pub mod strike;
mod subject;
mod sweep;
pub mod synced_member;
pub mod ticket;
pub mod webhook;
pub mod worker;

pub use by_id::{Page, Sorted};
use chrono::{DateTime, Utc};
pub use ids::{
    ActionId, AttemptId, AuditId, BindingId, ChannelId, ChatId, CommandId, CommentId, FlagId, GroupId,
    GroupRoleId, GuildId, IdError, ImportId, JobId, KeyId, LeaveRequestId, LoaId, NoteId, PanelId, PendingId,
    PlaceId, PlayId, QuotaId, RoleId, SanctionId, SessionId, StrikeId, SubmissionId, TicketId, UniverseId,
    WebhookId,
};
pub use role_list::RoleList;
pub use sanction::{Lifted, Places, SanctionKind};
pub use second::Second;
pub use subject::{Moderator, Person, Subject};

/// What a statement runs on: a connection or a transaction.
pub use sea_orm::ConnectionTrait as Conn;

/// The result of a statement.
pub type Result<T, E = sea_orm::DbErr> = std::result::Result<T, E>;

/// UTC, to the microsecond: the precision of both databases.
pub type Timestamp = DateTime<Utc>;
