//! The kinds of job, in one list, and the arguments of those that have no file of their own. The code that runs a kind is
//! `worker/src/<kind>.rs`, for `periodic_task` `scheduler/src/periodic.rs`.

use std::time::Duration;

use entities::api_key::Scope;
use entities::audit_entry::Actor;
use entities::job::Class;
use entities::{ChannelId, ChatId, GuildId, PanelId, PlayId, RoleId, TicketId, Timestamp};
use queue::{Draft, Payload, QueueError};
use runtime::UnitOfWork;
use serde::{Deserialize, Serialize};

use crate::bulk_sync::{BULK_TIME_LIMIT, SyncAll, SyncChunk, UndoSync};
use crate::direct_message::DirectMessage;
use crate::log_channels::PostNews;
use crate::mirror::MirrorBan;
use crate::staff_by_role::StaffByRole;
use crate::webhooks::DeliverWebhook;

/// Every kind of job, with the scope a key needs to cancel or retry one: the scope of the endpoint that enqueues it. Tests
/// of worker and console fail for a kind that is not in this list, or has no words.
pub const ALL: [(&str, Scope); 20] = [
    (SyncMember::KIND, Scope::Sync),
    (StaffByRole::KIND, Scope::Admin),
    (GreetMember::KIND, Scope::Sync),
    (CatchUp::KIND, Scope::Sync),
    (UnlinkMember::KIND, Scope::Links),
    (DirectMessage::KIND, Scope::Links),
    (SyncAll::KIND, Scope::Sync),
    (SyncChunk::KIND, Scope::Sync),
    (UndoSync::KIND, Scope::Sync),
    (AssignRole::KIND, Scope::Sync),
    (RemoveRole::KIND, Scope::Sync),
    (FollowBan::KIND, Scope::Moderation),
    (MirrorBan::KIND, Scope::Moderation),
    (ShieldImport::KIND, Scope::Shield),
    (CreateTicket::KIND, Scope::Staff),
    (PublishPanel::KIND, Scope::Admin),
    (DeliverWebhook::KIND, Scope::Admin),
    (PostNews::KIND, Scope::Admin),
    (EraseAccount::KIND, Scope::Admin),
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
    /// The event of the chat platform that led to it; `None`: somebody asked for it.
    #[serde(default)]
    pub cause: Option<SyncCause>,
}

impl SyncMember {
    /// One that somebody asked for.
    pub fn of(guild: GuildId, user: ChatId) -> Self {
        Self { guild, user, cause: None }
    }
}

/// An event of the chat platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SyncCause {
    /// The member joined, or passed the guild's screening.
    Joined,
    /// Somebody changed the member's roles or nickname.
    Changed,
}

/// Gives a member who joined without a link what the guild chose: its unverified role, and a notice how to link.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GreetMember {
    pub guild: GuildId,
    pub user: ChatId,
    /// Makes the notice one of this time of joining.
    pub joined_at: Timestamp,
}

impl Payload for GreetMember {
    const KIND: &'static str = "greet_member";
    const CLASS: Class = Class::Interactive;
    /// Within the minutes in which the platform knows a message again.
    const MAX_ATTEMPTS: i32 = 5;
}

/// Finds the members of a guild who joined or were changed while no events came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CatchUp {
    pub guild: GuildId,
    pub since: Timestamp,
}

impl CatchUp {
    /// Everybody's roles are looked at again: others than before may be staff by them (docs/rules.md 6).
    pub async fn of_all(work: &mut UnitOfWork, guild: GuildId, actor: Actor) -> Result<(), QueueError> {
        let look = Self { guild, since: work.now() };
        Draft::new(guild, &look, actor)?.once(&look.since.to_rfc3339()).enqueue(work).await?;
        Ok(())
    }
}

impl Payload for CatchUp {
    const KIND: &'static str = "catch_up";
    const CLASS: Class = Class::Default;
}

/// Takes over what others did on the chat platform: a ban of one user there, or its lift.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FollowBan {
    pub guild: GuildId,
    pub user: ChatId,
}

impl Payload for FollowBan {
    const KIND: &'static str = "follow_ban";
    const CLASS: Class = Class::Default;
}

impl Payload for SyncMember {
    const KIND: &'static str = "sync_member";
    const CLASS: Class = Class::Interactive;

    /// Whom others changed waits behind whoever joins or is asked for.
    fn class(&self) -> Class {
        if self.cause == Some(SyncCause::Changed) { Class::Default } else { Self::CLASS }
    }
}

/// Takes away the roles and the nickname that came from a link that has ended, and gives the guild's unverified role
/// (docs/rules.md 11). If the member is linked again, a sync decides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnlinkMember {
    pub guild: GuildId,
    pub user: ChatId,
    /// The game account of the ended link.
    pub play: PlayId,
    pub play_username: String,
    /// The roles that bindings named at its end, and the verified role.
    pub roles: Vec<RoleId>,
    /// The guild's at its end.
    pub nickname_template: String,
    /// An account of the link was erased: nothing is noted of its member.
    #[serde(default)]
    pub erased: bool,
}

impl Payload for UnlinkMember {
    const KIND: &'static str = "unlink_member";
    const CLASS: Class = Class::Interactive;
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

/// Erases an account from the whole instance ([`crate::erasure`]), because its platform asked for it. It belongs to no guild.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EraseAccount {
    pub play: PlayId,
}

impl Payload for EraseAccount {
    const KIND: &'static str = "erase_account";
    const CLASS: Class = Class::Bulk;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
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

/// Posts an application panel in a channel, with the button that opens its form (docs/rules.md 7).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PublishPanel {
    pub guild: GuildId,
    pub panel: PanelId,
    pub channel: ChannelId,
}

impl Payload for PublishPanel {
    const KIND: &'static str = "publish_panel";
    const CLASS: Class = Class::Interactive;
    /// Within the minutes in which the platform knows a message again.
    const MAX_ATTEMPTS: i32 = 5;
}
