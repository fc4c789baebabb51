//! What a sync of one member writes: its intent before the calls, the state that it leaves the member in, result and audit entry.

use chrono::TimeDelta;
use entities::audit_entry::{self, NewEntry};
use entities::job::Failure;
use entities::synced_member::{self, Ranks, States};
use entities::{ChatId, GuildId, PlayId};
use jobs::kinds::SyncCause;
use platforms::{Change, ChatMember, Missing, PlatformError, Reasons, Watched};
use queue::run::{JobContext, JobError};
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Value, json};

use super::intent::Intent;
use crate::apply::{Applied, Refusal};
use crate::errors::job_error;
use crate::permitted::{FailedRole, Permitted};
use crate::states::states;
use crate::wanted;

/// Most calls are made in this time, and their events come within the other one.
const CALLS_WITHIN: TimeDelta = TimeDelta::minutes(1);
const EVENTS_WITHIN: TimeDelta = TimeDelta::seconds(5);

/// Why a member is changed, and what syncs set in the guild.
#[derive(Debug, Default)]
pub(crate) struct Why {
    /// The linked game account.
    pub(crate) play: Option<PlayId>,
    pub(crate) watched: Watched,
    /// Before and now, in the bound groups.
    pub(crate) ranks: [Ranks; 2],
    pub(crate) cause: Option<SyncCause>,
    /// The member was out of step.
    pub(crate) is_due: bool,
}

/// A sync before its calls, with the changes of an earlier run of the job.
pub(super) struct Sync<'w> {
    guild: GuildId,
    user: ChatId,
    intent: Intent,
    why: &'w Why,
}

impl<'w> Sync<'w> {
    /// Stores the intended change, if any: after a cut the next run reports this run's changes.
    pub(super) async fn begin(
        job: &JobContext,
        guild: GuildId,
        member: &ChatMember,
        permitted: &Permitted,
        why: &'w Why,
    ) -> Result<Self, JobError> {
        let intent = Intent::new(job.last_checkpoint(), member, &permitted.change);
        let sync = Self { guild, user: member.chat_id, intent, why };
        if permitted.change.is_empty() && why.watched.is_empty() {
            return Ok(sync);
        }
        let work = job.begin().await?;
        let until = job.now() + CALLS_WITHIN;
        let [before, _] = &why.ranks;
        let until = states(&why.watched, member, &permitted.change, until);
        sync.note(work.tx(), States { ranks: before.clone(), ..until }).await?;
        job.checkpoint(work, &sync.intent).await?;
        Ok(sync)
    }

    async fn note<C: ConnectionTrait>(&self, conn: &C, states: States) -> Result<(), DbErr> {
        if self.why.watched.is_empty() {
            return Ok(());
        }
        synced_member::note(conn, self.guild, vec![(self.user, states)]).await
    }

    /// The state after the changes that were made, which may be fewer than planned. `is_whole`: nothing else is due.
    pub(super) async fn note_end(
        &self,
        job: &JobContext,
        member: &ChatMember,
        (planned, done): (&Change, &Change),
        is_whole: bool,
    ) -> Result<(), JobError> {
        let [before, now] = &self.why.ranks;
        let states = |change, until, ranks: &Ranks| {
            let states = states(&self.why.watched, member, change, job.now() + until);
            States { ranks: ranks.clone(), ..states }
        };
        let end = states(done, EVENTS_WITHIN, now);
        let settles = is_whole && self.why.is_due;
        if settles || end != states(planned, CALLS_WITHIN, before) {
            let work = job.begin_with_claim().await?;
            self.note(work.tx(), end).await?;
            if settles {
                synced_member::settle(work.tx(), self.guild, &[self.user]).await?;
            }
            job.commit(work).await?;
        }
        Ok(())
    }

    /// Reduces the intent to the actual changes. Without any the run fails with the first refused role; a refused
    /// nickname alone is no failure, and neither is a role that was deleted meanwhile.
    pub(super) fn end(&mut self, change: &Change, applied: &Applied) -> Result<(), JobError> {
        self.intent.forget(change, &applied.done);
        let gone = PlatformError::NotFound(Missing::Role);
        let mut refused = applied.refused.iter();
        let refused = refused.find(|refusal| refusal.role.is_some() && refusal.error != gone);
        match refused.filter(|_| self.intent.change.is_empty()) {
            Some(refusal) => Err(job_error(refusal.error.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn result(&self, permitted: Permitted, refused: Vec<Refusal>) -> Value {
        let mut failed_roles = permitted.failed_roles;
        let mut nickname_error = permitted.nickname_refused.map(str::to_owned);
        for Refusal { role, error } in refused {
            let failure = Failure::from(&error);
            match role {
                Some(role) => failed_roles.push(FailedRole::refused(role, &error, failure.message)),
                None => nickname_error = Some(failure.message),
            }
        }
        let Change { add, remove, nick } = &self.intent.change;
        let mut result = json!({
            "added_roles": add,
            "removed_roles": remove,
            "nickname_updated": nick.is_some(),
            "failed_roles": failed_roles,
        });
        if let Some(reason) = nickname_error {
            result["nickname_error"] = json!(reason);
        }
        result
    }

    /// `None`: no change.
    pub(super) fn audit_entry(&self, reasons: impl FnOnce(&Change) -> Reasons) -> Option<NewEntry> {
        let Intent { roles, nickname, change } = &self.intent;
        if change.is_empty() {
            return None;
        }
        let mut metadata = wanted::told(&reasons(change), change);
        metadata.insert("before".to_owned(), json!({ "roles": roles, "nickname": nickname }));
        let nickname = change.nick.as_ref().or(nickname.as_ref());
        metadata
            .insert("after".to_owned(), json!({ "roles": change.roles_after(roles), "nickname": nickname }));
        if let Some(cause) = self.why.cause {
            metadata.insert("cause".to_owned(), json!(cause));
        }
        let (target, metadata) = (self.user.to_string(), metadata.into());
        Some(NewEntry { guild: self.guild, action: audit_entry::MEMBER_SYNCED, target, metadata })
    }
}
