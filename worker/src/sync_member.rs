//! `sync_member`: brings one member's roles and nickname in line with the bindings (docs/rules.md 5).
//!
//! For a member whose link changes while a sync runs another job follows: calls that were under way may have come after those
//! of the job for the new link.
//!
//! It sends one call for one or two differences each, and a single update for more (see `apply`). A run that starts again
//! after a cut finds the change already made, and reports it (see `intent`).

mod event;
mod intent;
mod record;

use entities::guild::grants::Grants;
use entities::{ChatId, GuildId, PlayId, link, synced_member};
use jobs::kinds::{SyncCause, SyncMember};
use jobs::linking;
use platforms::{CallContext, Change, ChatMember, Platforms, Reasons, SyncedPlayer};
use queue::run::{Handler, JobContext, JobError, Outcome};
use runtime::Event;

use crate::apply::{Halt, Sender, Whom};
use crate::errors::{job_error, not_a_member, not_linked, queue_error};
use crate::permitted::{Permitted, permitted};
use crate::{names, wanted};
use intent::Intent;
use record::Sync;
pub(crate) use record::Why;

pub(crate) struct Job(pub(crate) Platforms);

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
        let Some(link) = link::find_by_chat(read, guild, user).await? else {
            // A run that was cut may have made changes.
            if job.last_checkpoint::<Intent>().is_some() {
                correct(job, guild, (user, None)).await?;
            }
            return cause.map(|_| event::nothing_to_do()).ok_or_else(not_linked);
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
        let why = Why { play: Some(player), watched, ranks, cause, is_due };
        let outcome = self.make(job, guild, &member, &rules.grants, change, (&why, reasons)).await?;
        if link::find_by_chat(read, guild, user).await?.is_none_or(|now| now.play_id != player) {
            correct(job, guild, (user, Some(player))).await?;
        }
        Ok(outcome)
    }
}

async fn correct(
    job: &JobContext,
    guild: GuildId,
    made_for: (ChatId, Option<PlayId>),
) -> Result<(), JobError> {
    let mut work = job.begin_with_claim().await?;
    linking::correct(&mut work, guild, &[made_for], &job.actor()).await.map_err(queue_error)?;
    job.commit(work).await
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
        let whom = Whom { user: member.chat_id, play: why.play };
        let mut applied = sender.apply(whom, &permitted.change).await;
        if let Some(halt) = applied.halt.take() {
            return Err(halted(halt));
        }
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
        job.commit(work).await
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

fn halted(halt: Halt) -> JobError {
    match halt {
        Halt::Platform(error) => job_error(error),
        Halt::Job(error) => error,
        Halt::Stopped => JobError::Cancelled,
    }
}
