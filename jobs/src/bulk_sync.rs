//! Bulk sync, the sync of all members of a guild: its jobs, the quota that each run uses, and how HTTP and the command
//! line enqueue one. The job and its quota use commit together.
//!
//! Enqueued by `api/src/endpoints/interactions/sync/all/post.rs` and `cli/src/commands/sync.rs`. The runs are
//! `worker/src/sync_all.rs`, which plans, and `worker/src/sync_chunk.rs`, which writes. The windows of the quota, with its
//! numbers, are `entities/src/bulk_sync.rs`.

use std::collections::BTreeMap;
use std::time::Duration;

use entities::audit_entry::Actor;
use entities::bulk_sync::{self, Kind, Standing};
use entities::job::listing::FOLLOW_KEY;
use entities::job::{Class, Model, family};
use entities::{BindingId, ChatId, GroupId, GuildId, JobId, PlayId, RoleId, Timestamp, job_failure};
use queue::{Draft, Enqueued, Payload, QueueError, Quota};
use runtime::{Transaction, UnitOfWork};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

/// A bulk step yields after its time slice, but one platform call may wait for a minute's pause, several times in one
/// page: the game platform's 300 calls a minute are used up in seconds by a large guild.
pub(crate) const BULK_TIME_LIMIT: Duration = Duration::from_secs(5 * 60);

/// Plans the sync of all members of a guild, and splits the differences into [`SyncChunk`]s.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncAll {
    pub guild: GuildId,
    /// Plan only; the result lists the changes.
    #[serde(default)]
    pub dry_run: bool,
    /// A plan with more role removals fails before its first write.
    #[serde(default)]
    pub max_removals: Option<u64>,
    /// It started by itself ([`crate::follow`]).
    #[serde(default)]
    pub follow: Option<Pass>,
}

/// What a sync that started by itself keeps to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// It stops if it would take roles from more members, in percent; `None`: a person let it go on.
    pub brake_percent: Option<i32>,
}

impl Payload for SyncAll {
    const KIND: &'static str = "sync_all";
    const CLASS: Class = Class::Bulk;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

impl SyncAll {
    /// Without a safety limit.
    pub fn of(guild: GuildId) -> Self {
        Self { guild, dry_run: false, max_removals: None, follow: None }
    }

    /// At most one unfinished job has this key.
    pub(crate) fn dedupe_key(&self) -> &'static str {
        match (&self.follow, self.dry_run) {
            (Some(_), _) => FOLLOW_KEY,
            (None, true) => "dry",
            (None, false) => "all",
        }
    }
}

/// Members of one guild that differ from the bindings, by chat id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncChunk {
    pub guild: GuildId,
    pub members: Vec<PlannedChange>,
    /// When the plan read these members, in seconds since 1970; 0: it did not.
    pub planned_at: i64,
    pub cause: Cause,
}

/// Puts back what a run changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UndoSync {
    pub guild: GuildId,
    /// The job of the run.
    pub run: JobId,
}

impl Payload for UndoSync {
    const KIND: &'static str = "undo_sync";
    const CLASS: Class = Class::Bulk;
    const TIME_LIMIT: Duration = BULK_TIME_LIMIT;
}

/// What a chunk is a part of, as the entries about its members say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A sync of all members that somebody asked for.
    SyncAll,
    /// One that started by itself.
    Follow,
    /// A run that puts back what another one changed.
    Undo,
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
    /// The game account that is linked; `None`: a plan of an older build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<PlayId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<RoleId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<RoleId>,
    /// The nickname to set, if it differs; empty: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nick: Option<String>,
    /// The one that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nick_before: Option<String>,
    /// Why: the member's ranks in the groups that decide about these roles; none: not in the group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranks: BTreeMap<GroupId, Vec<i16>>,
    /// Those of them that are known of before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranks_before: BTreeMap<GroupId, Vec<i16>>,
    /// The bindings behind each of these roles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<RoleId, Vec<BindingId>>,
    /// The one that names the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nick_binding: Option<BindingId>,
    /// The bot may not make the rest of what the member lacks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_part: bool,
}

impl PlannedChange {
    /// Whether it is for whoever is linked to this account.
    pub fn is_for(&self, linked: PlayId) -> bool {
        self.play.is_none_or(|play| play == linked)
    }

    /// What puts it back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self {
            add: self.remove.clone(),
            remove: self.add.clone(),
            nick: self.nick.as_ref().map(|_| self.nick_before.clone().unwrap_or_default()),
            nick_before: self.nick.clone(),
            ..self.clone()
        }
    }
}

/// What a sync would change of a member (`synced_member.due`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutOfStep {
    #[serde(flatten)]
    pub change: PlannedChange,
    /// Why a sync cannot make a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The result of a bulk sync request.
#[derive(Debug, Clone)]
pub enum BulkSync {
    /// The job, and the state of its quota window. A joined job is not counted again.
    Queued(Enqueued, Standing),
    /// No row was changed.
    OverQuota(Standing),
}

/// Enqueues a bulk sync of `members` members if the guild's quota allows it. The guild stays locked until the
/// transaction ends.
pub async fn enqueue_bulk_sync(
    work: &mut UnitOfWork,
    payload: &SyncAll,
    actor: Actor,
    members: u64,
) -> Result<BulkSync, QueueError> {
    let kind = Kind::of(payload.dry_run);
    let standing = bulk_sync::lock(work.tx(), payload.guild, kind, work.now()).await?;
    if standing.is_used_up() {
        return Ok(BulkSync::OverQuota(standing));
    }
    let draft = Draft::new(payload.guild, payload, actor)?.once(payload.dedupe_key());
    let draft = draft.total(i64::try_from(members).unwrap_or(i64::MAX));
    let enqueued = draft.enqueue(work).await?;
    let standing = if enqueued.joined {
        standing
    } else {
        bulk_sync::take(work.tx(), payload.guild, standing, enqueued.job).await?
    };
    Ok(BulkSync::Queued(enqueued, standing))
}

/// The quota of a retry: a bulk sync that runs again uses its window again. Other kinds have none.
#[derive(Default)]
pub(crate) struct Rerun(Option<(GuildId, Standing)>);

impl Quota for Rerun {
    type Refusal = Standing;

    /// The guild stays locked until the transaction ends.
    async fn check(
        &mut self,
        transaction: &Transaction,
        job: &Model,
        now: Timestamp,
    ) -> Result<Option<Standing>, DbErr> {
        let Some(guild) = job.guild_id.filter(|_| job.kind == SyncAll::KIND) else { return Ok(None) };
        let dry_run = job.args["dry_run"].as_bool().unwrap_or(false);
        let standing = bulk_sync::lock(transaction, guild, Kind::of(dry_run), now).await?;
        self.0 = Some((guild, standing));
        Ok(Some(standing).filter(Standing::is_used_up))
    }

    async fn take(self, transaction: &Transaction, job: &mut Model) -> Result<(), DbErr> {
        if ![SyncAll::KIND, UndoSync::KIND].contains(&job.kind.as_str()) {
            return Ok(());
        }
        // Only the new run's changes and failures count, so it plans anew.
        family::set_result(transaction, job.job_id, None).await?;
        family::forget_plan(transaction, job.job_id).await?;
        job_failure::forget(transaction, job.job_id).await?;
        (job.result, job.checkpoint) = (None, None);
        if let Some((guild, standing)) = self.0 {
            bulk_sync::take(transaction, guild, standing, job.job_id).await?;
        }
        Ok(())
    }
}
