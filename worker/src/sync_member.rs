//! `sync_member`: brings one member's roles and nickname in line with the bindings (docs/rules.md 5).
//!
//! It sends one call for one or two differences each, and a single update for more (see `apply`). A run that starts again after a cut finds the
//! change already made, and reports it (see `intent`).

mod intent;

use entities::audit_entry::{self, NewEntry};
use entities::job::Failure;
use entities::{ChatId, GuildId, RoleId, link};
use jobs::kinds::SyncMember;
use platforms::{CallContext, Change, ChatMember, Missing, PlatformError, Platforms, Reasons, SyncedPlayer};
use queue::run::{Handler, JobContext, JobError, Outcome};
use runtime::Event;
use serde_json::{Value, json};

use crate::apply::{Applied, Halt, Refusal, Sender};
use crate::errors::{job_error, not_a_member, not_linked};
use crate::names::{self, Renamed};
use crate::permitted::{FailedRole, Permitted, permitted};
use crate::wanted;
use intent::Intent;

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = SyncMember;

    async fn run(
        &self,
        job: &JobContext,
        SyncMember { guild, user }: SyncMember,
    ) -> Result<Outcome, JobError> {
        let (chat, play) = (self.0.chat.as_ref(), self.0.play.as_ref());
        let read = job.database().read();
        let link = link::find_by_chat(read, guild, user).await?.ok_or_else(not_linked)?;
        let rules = wanted::load(read, guild).await?;
        let (call, groups) = (CallContext::interactive(guild), rules.groups());
        let (player, players) = (link.play_id, [link.play_id]);
        let (member, memberships, names) = tokio::join!(
            chat.member(call, user),
            play.memberships(call, &players, &groups),
            names::of_player(play, call, player),
        );
        let member = member.map_err(job_error)?.ok_or_else(not_a_member)?;
        let memberships = memberships.map_err(job_error)?;
        self.store_name(job, guild, names::difference(&link, names.as_ref()).as_ref()).await?;
        let change = rules.change(&member, SyncedPlayer::of(&link, names.as_ref()), &memberships);
        let reasons = |change: &Change| rules.reasons(change, player, &memberships);
        self.make(job, guild, &member, &rules.allowed, change, reasons).await
    }
}

impl Job {
    /// Makes the permitted part of a member's change. `reasons`: why a change is made.
    pub(crate) async fn make(
        &self,
        job: &JobContext,
        guild: GuildId,
        member: &ChatMember,
        allowed: &[RoleId],
        change: Change,
        reasons: impl FnOnce(&Change) -> Reasons,
    ) -> Result<Outcome, JobError> {
        let call = CallContext::interactive(guild);
        let permitted = self.permitted(call, allowed, member, change).await?;
        let mut sync = Sync::begin(job, guild, member, &permitted).await?;
        let sender = Sender { chat: self.0.chat.as_ref(), call, job, stop: job.cancelled() };
        let applied = sender.apply(member.chat_id, &permitted.change).await.map_err(halted)?;
        sync.end(&permitted.change, &applied)?;
        let audit = sync.audit_entry(reasons).into_iter().collect();
        Ok(Outcome::Done { result: sync.result(permitted, applied.refused), audit })
    }

    async fn store_name(
        &self,
        job: &JobContext,
        guild: GuildId,
        renamed: Option<&Renamed>,
    ) -> Result<(), JobError> {
        let Some(renamed) = renamed else { return Ok(()) };
        let mut work = job.begin_with_claim().await?;
        names::store(work.tx(), guild, std::slice::from_ref(renamed)).await?;
        work.announce([Event::NamesChanged { guild }]);
        work.commit().await?;
        Ok(())
    }

    /// Reads the bot's permissions only if the member differs.
    async fn permitted(
        &self,
        call: CallContext,
        allowed: &[RoleId],
        member: &ChatMember,
        change: Change,
    ) -> Result<Permitted, JobError> {
        if change.is_empty() {
            return Ok(Permitted::default());
        }
        let overview = self.0.chat.guild_overview(call).await.map_err(job_error)?;
        Ok(permitted(&overview, allowed, &member.roles, change))
    }
}

/// A sync before its calls, with the changes of an earlier run of the job.
struct Sync {
    guild: GuildId,
    user: ChatId,
    intent: Intent,
}

impl Sync {
    /// Stores the intended change, if any: after a cut the next run reports this run's changes.
    async fn begin(
        job: &JobContext,
        guild: GuildId,
        member: &ChatMember,
        permitted: &Permitted,
    ) -> Result<Self, JobError> {
        let intent = Intent::new(job.last_checkpoint(), member, &permitted.change);
        if !permitted.change.is_empty() {
            intent.keep(job).await?;
        }
        Ok(Self { guild, user: member.chat_id, intent })
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
