//! The arguments of every kind of job, in one list. The code that runs a kind is `worker/src/<kind>.rs`.
//!
//! API, scheduler and command line enqueue jobs without a dependency on the worker, so the arguments are here.

use std::time::Duration;

use entities::api_key::Scope;
use entities::job::Class;
use entities::{ChatId, GuildId, PlayId, RoleId, TicketId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Payload;

/// A bulk step yields after its time slice, but one platform call may wait for a minute's pause, several times in one
/// page: the game platform's 300 calls a minute are used up in seconds by a large guild.
const BULK_TIME_LIMIT: Duration = Duration::from_secs(5 * 60);

/// Every kind of job, with the scope a key needs to cancel or retry one: the scope of the endpoint that enqueues it. A
/// worker test fails for a kind that is not in this list.
pub const ALL: [(&str, Scope); 9] = [
    (SyncMember::KIND, Scope::Sync),
    (SyncAll::KIND, Scope::Sync),
    (SyncChunk::KIND, Scope::Sync),
    (AssignRole::KIND, Scope::Sync),
    (RemoveRole::KIND, Scope::Sync),
    (MirrorBan::KIND, Scope::Moderation),
    (ShieldImport::KIND, Scope::Shield),
    (CreateTicket::KIND, Scope::Staff),
    (PeriodicTask::KIND, Scope::Admin),
];

/// The scope for cancelling and retrying jobs of a kind. Kinds unknown to this version need the admin scope.
pub fn scope(kind: &str) -> Scope {
    ALL.iter().find(|(name, _)| *name == kind).map_or(Scope::Admin, |(_, scope)| *scope)
}

/// Brings one member's roles and nickname in line with the bindings (docs/rules.md 5).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncMember {
    pub guild: GuildId,
    pub user: ChatId,
}

impl Payload for SyncMember {
    const KIND: &'static str = "sync_member";
    const CLASS: Class = Class::Interactive;
}

/// Plans the sync of all members of a guild, and splits the differences into [`SyncChunk`]s.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncAll {
    pub guild: GuildId,
    /// Plan only; the result lists the changes.
    #[serde(default)]
    pub dry_run: bool,
    /// The safety limit: a plan with more role removals fails before its first write.
    #[serde(default)]
    pub max_removals: Option<u64>,
}

impl Payload for SyncAll {
    const KIND: &'static str = "sync_all";
    const CLASS: Class = Class::Bulk;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

/// Members of one guild that differ from the bindings, by chat id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncChunk {
    pub guild: GuildId,
    pub members: Vec<PlannedChange>,
    /// When the plan read these members, in seconds since 1970.
    pub planned_at: i64,
}

impl Payload for SyncChunk {
    const KIND: &'static str = "sync_chunk";
    const CLASS: Class = Class::Bulk;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

/// The planned change of one member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedChange {
    pub user: ChatId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<RoleId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<RoleId>,
    /// The nickname to set, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nick: Option<String>,
}

/// Gives one role to one member, on request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AssignRole {
    pub guild: GuildId,
    pub user: ChatId,
    pub role: RoleId,
    /// The person who requested it, and must stand above the role; `None`: a key.
    #[serde(default)]
    pub by: Option<ChatId>,
}

impl Payload for AssignRole {
    const KIND: &'static str = "assign_role";
    const CLASS: Class = Class::Interactive;
}

/// Takes one role from one member, on request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RemoveRole {
    pub guild: GuildId,
    pub user: ChatId,
    pub role: RoleId,
    /// As for [`AssignRole`].
    #[serde(default)]
    pub by: Option<ChatId>,
}

impl Payload for RemoveRole {
    const KIND: &'static str = "remove_role";
    const CLASS: Class = Class::Interactive;
}

/// Makes the chat platform's ban of one user match the guild's bans (docs/rules.md 4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MirrorBan {
    pub guild: GuildId,
    pub user: ChatId,
}

impl Payload for MirrorBan {
    const KIND: &'static str = "mirror_ban";
    const CLASS: Class = Class::Default;
}

/// Flags game users for all guilds, in bulk (docs/rules.md 9).
///
/// The users are in the row itself: 10,000 of them are about 1 MB, at most the 4 MiB of a request, and lists of jobs
/// do not read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShieldImport {
    pub guild: GuildId,
    /// The owner of the key of the request.
    pub by: ChatId,
    /// As in the request; may contain duplicates.
    pub users: Vec<ToFlag>,
}

impl Payload for ShieldImport {
    const KIND: &'static str = "shield_import";
    const CLASS: Class = Class::Default;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

/// A game user to flag, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToFlag {
    pub play_id: PlayId,
    pub reason: String,
}

/// One run of a schedule, in a scheduler process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PeriodicTask {
    pub schedule: String,
    /// When the tick was due; for a manual run, the time of the request.
    pub tick: Timestamp,
}

impl Payload for PeriodicTask {
    const KIND: &'static str = "periodic_task";
    const CLASS: Class = Class::Maintenance;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

/// Creates the channel of a ticket whose row exists already (docs/rules.md 7).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreateTicket {
    pub guild: GuildId,
    pub ticket: TicketId,
}

impl Payload for CreateTicket {
    const KIND: &'static str = "create_ticket";
    const CLASS: Class = Class::Interactive;
}
