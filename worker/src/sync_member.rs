//! `sync_member`: brings one member's roles and nickname in line with the bindings (docs/rules.md 5).
//!
//! It sends one call for one or two differences each, and a single update for more (see `apply`). A run that starts again after a cut finds the
//! change already made, and reports it (see `intent`).

mod event;
mod intent;

use chrono::TimeDelta;
use entities::audit_entry::{self, NewEntry};
use entities::guild::grants::Grants;
use entities::job::Failure;
use entities::synced_member::{self, Ranks, States};
use entities::{ChatId, GuildId, link};
use jobs::kinds::{SyncCause, SyncMember};
use platforms::{
    CallContext, Change, ChatMember, Missing, PlatformError, Platforms, Reasons, SyncedPlayer, Watched,
};
use queue::run::{Handler, JobContext, JobError, Outcome};
use runtime::Event;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Value, json};

use crate::apply::{Applied, Halt, Refusal, Sender};
use crate::errors::{job_error, not_a_member, not_linked};
use crate::names;
use crate::permitted::{FailedRole, Permitted, permitted};
use crate::states::states;
use crate::wanted;
use intent::Intent;

pub(crate) struct Job(pub(crate) Platforms);

/// Most calls are made in this time, and their events come within the other one.
const CALLS_WITHIN: TimeDelta = TimeDelta::minutes(1);
const EVENTS_WITHIN: TimeDelta = TimeDelta::seconds(5);

impl Handler for Job {
    type Payload = SyncMember;

    async fn run(
        &self,
        job: &JobContext,
        SyncMember { guild, user, cause }: SyncMember,
    ) -> Result<Outcome, JobError> {
        let (chat, play) = (self.0.chat.as_ref(), self.0.play.as_ref());
        let read = job.database().read();
        let rules = wanted::load(read, guild).await?;
        let (call, watched) = (CallContext::interactive(guild), rules.watched());
        let member = async || chat.member(call, user).await.map_err(job_error);
        let seen = match cause {
            None => None,
            Some(cause) => match event::begin(job, (guild, user), cause, &watched, member).await? {
                Some(member) => Some(member),
                None => return Ok(event::nothing_to_do()),
            },
        };
        let link = match link::find_by_chat(read, guild, user).await? {
            None if cause.is_some() => return Ok(event::nothing_to_do()),
            link => link.ok_or_else(not_linked)?,
        };
        let (groups, player, players) = (rules.groups(), link.play_id, [link.play_id]);
        let member = async {
            match seen {
                Some(member) => Ok(Some(member)),
                None => member().await,
            }
        };
        let (member, memberships, names) = tokio::join!(
            member,
            play.memberships(call, &players, &groups),
            names::of_player(play, call, player),
        );
        let member = member?.ok_or_else(not_a_member)?;
        let memberships = memberships.map_err(job_error)?;
        self.store_name(job, guild, names::difference(&link, names.as_ref()).as_ref()).await?;
        let change = rules.change(&member, SyncedPlayer::of(&link, names.as_ref()), &memberships);
        let noted = synced_member::find(read, guild, user).await?;
        let is_due = noted.as_ref().is_some_and(|noted| noted.due.is_some());
        let before = noted.map(|noted| noted.states.ranks).unwrap_or_default();
        let reasons = |change: &Change| rules.reasons(change, player, &memberships).since(&before);
        let ranks = [before.clone(), rules.ranks(player, &memberships)];
        let why = Why { watched, ranks, cause, is_due };
        self.make(job, guild, &member, &rules.grants, change, (&why, reasons)).await
    }
}

/// Why a member is changed, and what syncs set in the guild.
#[derive(Debug, Default)]
pub(crate) struct Why {
    pub(crate) watched: Watched,
    /// Before and now, in the bound groups.
    pub(crate) ranks: [Ranks; 2],
    pub(crate) cause: Option<SyncCause>,
    /// The member was out of step.
    pub(crate) is_due: bool,
}

impl Job {
    /// Makes the permitted part of a member's change. `reasons`: why a change is made.
    pub(crate) async fn make(
        &self,
        job: &JobContext,
        guild: GuildId,
        member: &ChatMember,
        grants: &Grants,
        change: Change,
        (why, reasons): (&Why, impl FnOnce(&Change) -> Reasons),
    ) -> Result<Outcome, JobError> {
        let call = CallContext::interactive(guild);
        let permitted = self.permitted(call, grants, member, change).await?;
        let mut sync = Sync::begin(job, guild, member, &permitted, why).await?;
        let sender =
            Sender { chat: self.0.chat.as_ref(), call, job, stop: job.cancelled(), bound_only: true };
        let applied = sender.apply(member.chat_id, &permitted.change).await.map_err(halted)?;
        let is_whole = permitted.is_whole() && applied.refused.is_empty();
        sync.note_end(job, member, (&permitted.change, &applied.done), is_whole).await?;
        sync.end(&permitted.change, &applied)?;
        if why.cause == Some(SyncCause::Joined) {
            metrics::histogram!("guildhall_gateway_lag_seconds").record(job.since_enqueued());
        }
        let audit = sync.audit_entry(reasons).into_iter().collect();
        Ok(Outcome::Done { result: sync.result(permitted, applied.refused), audit })
    }

    async fn store_name(
        &self,
        job: &JobContext,
        guild: GuildId,
        renamed: Option<&link::Renamed>,
    ) -> Result<(), JobError> {
        let Some(renamed) = renamed else { return Ok(()) };
        let mut work = job.begin_with_claim().await?;
        link::rename(work.tx(), guild, std::slice::from_ref(renamed)).await?;
        work.announce([Event::NamesChanged { guild }]);
        work.commit().await?;
        Ok(())
    }

    /// Reads the bot's permissions only if the member differs.
    async fn permitted(
        &self,
        call: CallContext,
        grants: &Grants,
        member: &ChatMember,
        change: Change,
    ) -> Result<Permitted, JobError> {
        if change.is_empty() {
            return Ok(Permitted::default());
        }
        let overview = self.0.chat.guild_overview(call).await.map_err(job_error)?;
        Ok(permitted(&overview, grants, &member.roles, change))
    }
}

/// A sync before its calls, with the changes of an earlier run of the job.
struct Sync<'w> {
    guild: GuildId,
    user: ChatId,
    intent: Intent,
    why: &'w Why,
}

impl<'w> Sync<'w> {
    /// Stores the intended change, if any: after a cut the next run reports this run's changes.
    async fn begin(
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
    async fn note_end(
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
            work.commit().await?;
        }
        Ok(())
    }

    /// Reduces the intent to the actual changes. Without any the run fails with the first refused role; a refused
    /// nickname alone is no failure, and neither is a role that was deleted meanwhile.
    fn end(&mut self, change: &Change, applied: &Applied) -> Result<(), JobError> {
        self.intent.forget(change, &applied.done);
        let gone = PlatformError::NotFound(Missing::Role);
        let mut refused = applied.refused.iter();
        let refused = refused.find(|refusal| refusal.role.is_some() && refusal.error != gone);
        match refused.filter(|_| self.intent.change.is_empty()) {
            Some(refusal) => Err(job_error(refusal.error.clone())),
            None => Ok(()),
        }
    }

    fn result(&self, permitted: Permitted, refused: Vec<Refusal>) -> Value {
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
    fn audit_entry(&self, reasons: impl FnOnce(&Change) -> Reasons) -> Option<NewEntry> {
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

fn halted(halt: Halt) -> JobError {
    match halt {
        Halt::Platform(error) => job_error(error),
        Halt::Job(error) => error,
        Halt::Stopped => JobError::Cancelled,
    }
}
