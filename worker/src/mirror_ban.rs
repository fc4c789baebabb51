//! `mirror_ban`: makes the chat platform's ban of one user match the guild's bans (docs/rules.md 4).
//!
//! After each platform call the job reads the bans again, and repeats until the platform matches them. So a concurrent
//! ban or unban is never lost. The outcome is written to the bans and the audit log, also for a failed attempt, which
//! the backoff repeats.
//!
//! Only bans made by Guildhall are lifted. The run first reads whether the user is banned there, and records its intent
//! ([`chat_ban`]). So a ban without such a row was made by others, and a ban made by a killed worker is identified by
//! its row and its reason.

use entities::audit_entry::NewEntry;
use entities::job::Failure;
use entities::sanction::active;
use entities::sanction::change::Target;
use entities::sanction::{self, MirrorState, mirror};
use entities::{ChatId, GuildId, Person, SanctionKind, Subject, chat_ban, staff_directory};
use jobs::mirror::{CANCELLED, MirrorBan};
use platforms::{CallContext, ChatBan, Missing, PlatformError, Platforms};
use queue::Payload;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::{SETTLE_PAUSE, until_resolved};

pub(crate) struct Job(pub(crate) Platforms);

/// The reason in the guild's audit log on the chat platform.
const LIFTED: &str = "no ban of the guild is in force";
impl Handler for Job {
    type Payload = MirrorBan;

    async fn run(&self, job: &JobContext, args: MirrorBan) -> Result<Outcome, JobError> {
        let run = Run { platforms: &self.0, job, guild: args.guild, user: args.user };
        let state = match run.bring_in_line().await {
            Ok(state) => state,
            Err(error) => {
                tell_failure(job, &args, &error).await;
                return Err(error);
            }
        };
        let done = match state {
            State::NotBanned | State::Ours => MirrorState::Done,
            State::Theirs => MirrorState::AlreadyBanned,
            State::Protected => MirrorState::Protected,
        };
        let work = job.begin_with_claim().await?;
        mirror::finish(work.tx(), args.guild, job.id(), Ok(done)).await?;
        job.commit(work).await?;
        let banned = matches!(state, State::Ours | State::Theirs);
        let result = json!({ "banned": banned, "mirror_state": done });
        let audit = NewEntry {
            guild: args.guild,
            action: "moderation.mirror",
            target: args.user.to_string(),
            metadata: result.clone(),
        };
        Ok(Outcome::Done { result, audit: vec![audit] })
    }
}

/// Whether a chat user is banned on the platform, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    NotBanned,
    /// Banned by a mirror job.
    Ours,
    /// Banned by others.
    Theirs,
    /// Not banned, and must not be: an owner, admin, staff or bot.
    Protected,
}

struct Run<'a> {
    platforms: &'a Platforms,
    job: &'a JobContext,
    guild: GuildId,
    user: ChatId,
}

impl Run<'_> {
    /// Returns the user's state on the platform now.
    async fn bring_in_line(&self) -> Result<State, JobError> {
        let rows = chat_ban::of_user(self.job.database().write(), self.guild, self.user).await?;
        let mut state = self.look(&rows).await?;
        // A request of an earlier run of this job may reach the platform late.
        let mut under_way = rows.iter().any(|row| row.job_id == self.job.id() && !row.made);
        loop {
            let wanted = wanted(self.job, self.guild, self.user).await?;
            state = match (&wanted, state) {
                // Held bans leave the platform unchanged.
                (Some(ban), State::NotBanned) if ban.mirror_state == MirrorState::Held => break,
                (Some(_), State::NotBanned) if self.is_protected().await? => State::Protected,
                (Some(ban), State::NotBanned) => {
                    self.ban(&ban.reason).await?;
                    State::Ours
                }
                (None, State::Ours) => {
                    self.unban().await?;
                    State::NotBanned
                }
                (None, State::NotBanned) if under_way => {
                    tokio::time::sleep(SETTLE_PAUSE).await;
                    self.look(&rows).await?
                }
                _ => break,
            };
            under_way = false;
        }
        if state != State::Ours {
            self.forget(&rows).await?;
        }
        Ok(state)
    }

    async fn look(&self, rows: &[chat_ban::Model]) -> Result<State, JobError> {
        let found = self.platforms.chat.find_ban(self.call(), self.user).await.map_err(until_resolved)?;
        let Some(ban) = found else { return Ok(State::NotBanned) };
        let Some(row) = maker(&ban, rows) else { return Ok(State::Theirs) };
        if !row.made {
            self.record(&row.reason, true).await?;
        }
        Ok(State::Ours)
    }

    /// Whether the user manages the guild, is its staff or a bot: a key must not ban them there. Read right before the ban.
    async fn is_protected(&self) -> Result<bool, JobError> {
        let (conn, now) = (self.job.database().write(), self.job.now());
        if staff_directory::find(conn, self.guild, self.user, now).await?.is_some() {
            return Ok(true);
        }
        let access = self.platforms.chat.guild_access(self.call(), self.user).await;
        Ok(access.map_err(until_resolved)?.is_some_and(|access| access.is_bot || access.manages()))
    }

    async fn ban(&self, reason: &str) -> Result<(), JobError> {
        self.job.before_effect().await?;
        self.record(reason, false).await?;
        if let Err(error) = self.platforms.chat.ban(self.call(), self.user, reason).await {
            // Permanently refused: a later ban there is not ours.
            if !error.is_retryable() {
                self.forget(&[]).await?;
            }
            return Err(until_resolved(error));
        }
        self.record(reason, true).await
    }

    /// Records the ban that this job is about to make, or made.
    async fn record(&self, reason: &str, made: bool) -> Result<(), JobError> {
        let (guild_id, chat_id, job_id) = (self.guild, self.user, self.job.id());
        let row = chat_ban::Model { guild_id, chat_id, job_id, reason: reason.to_owned(), made };
        let work = self.job.begin_with_claim().await?;
        chat_ban::put(work.tx(), row).await?;
        self.job.commit(work).await
    }

    async fn unban(&self) -> Result<(), JobError> {
        self.job.before_effect().await?;
        match self.platforms.chat.unban(self.call(), self.user, LIFTED).await {
            Ok(()) | Err(PlatformError::NotFound(Missing::Ban | Missing::User)) => Ok(()),
            Err(error) => Err(until_resolved(error)),
        }
    }

    /// Deletes the rows of bans made before this run began or by it, because they are lifted. Incomplete rows of other
    /// jobs stay: those jobs read the ban again after their call.
    async fn forget(&self, rows: &[chat_ban::Model]) -> Result<(), JobError> {
        let made = rows.iter().filter(|row| row.made).map(|row| row.job_id);
        let work = self.job.begin_with_claim().await?;
        chat_ban::forget(work.tx(), self.guild, self.user, made.chain([self.job.id()])).await?;
        self.job.commit(work).await
    }

    fn call(&self) -> CallContext {
        CallContext::interactive(self.guild)
    }
}

/// The row of the job that made a ban; `None`: others did. A ban without one of our reasons belongs to others, even if
/// we banned the user before. A ban without any reason is ours if a completed row exists.
pub(crate) fn maker<'a>(ban: &ChatBan, rows: &'a [chat_ban::Model]) -> Option<&'a chat_ban::Model> {
    let ours = |row: &&chat_ban::Model| ban.was_for(&row.reason) || (row.made && ban.reason.is_none());
    // Completed ones first.
    rows.iter().filter(|row| row.made).find(ours).or_else(|| rows.iter().find(ours))
}

/// The ban from all games in force for the user, by either account; a held one only where there is no other.
async fn wanted(job: &JobContext, guild: GuildId, user: ChatId) -> Result<Option<sanction::Model>, JobError> {
    // Read on the write connection, to see recent commits.
    let conn = job.database().write();
    let person = Person::resolve(conn, guild, Subject::Chat(user)).await?;
    let target = Target { kind: SanctionKind::Ban, person, place: None };
    let bans = active::covering(conn, guild, target, job.now()).await?;
    Ok(bans.into_iter().min_by_key(|ban| ban.mirror_state == MirrorState::Held))
}

/// Records on the bans, and in the audit log, why the platform does not match them.
async fn tell_failure(job: &JobContext, args: &MirrorBan, error: &JobError) {
    let told = match error {
        JobError::Retry(failure) | JobError::RetryIn(failure, _) => {
            failed(job, args, failure, job.attempt() < MirrorBan::MAX_ATTEMPTS).await
        }
        JobError::Fail(failure) => failed(job, args, failure, false).await,
        // The request to cancel it has noted that (`jobs/src/cancel.rs`), but for one of an older build.
        JobError::Cancelled => cancelled(job, args).await,
        // The first waits for the platform's pace.
        JobError::Snooze(..) | JobError::ClaimLost => return,
    };
    match told {
        Ok(()) | Err(JobError::ClaimLost) => {}
        Err(error) => {
            tracing::warn!(?error, "cannot record on a ban that its mirror failed");
        }
    }
}

async fn failed(
    job: &JobContext,
    args: &MirrorBan,
    failure: &Failure,
    retried: bool,
) -> Result<(), JobError> {
    let entry = NewEntry {
        guild: args.guild,
        action: "moderation.mirror_failed",
        target: args.user.to_string(),
        metadata: json!({ "error": failure.error, "message": failure.message, "attempt": job.attempt(),
                          "retried": retried }),
    };
    let mut work = job.begin_with_claim().await?;
    let bans = mirror::finish(work.tx(), args.guild, job.id(), Err(&failure.message)).await?;
    // Bans assigned to a newer job get its outcome.
    if !bans.is_empty() {
        work.audit(job.actor(), entry);
    }
    job.commit(work).await
}

async fn cancelled(job: &JobContext, args: &MirrorBan) -> Result<(), JobError> {
    let work = job.begin_with_claim().await?;
    mirror::give_up(work.tx(), args.guild, job.id(), CANCELLED).await?;
    job.commit(work).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(reason: &str, made: bool) -> chat_ban::Model {
        let job_id = entities::JobId(uuid::Uuid::nil());
        chat_ban::Model {
            guild_id: 7.try_into().unwrap(),
            chat_id: 9.try_into().unwrap(),
            job_id,
            reason: reason.to_owned(),
            made,
        }
    }

    #[test]
    fn a_ban_is_ours_if_its_row_and_reason_match() {
        let ban = |reason: Option<&str>| ChatBan { reason: reason.map(str::to_owned) };
        let long = "x".repeat(600);
        for (rows, reason, ours) in [
            (vec![], Some("spam"), false),
            (vec![], None, false),
            (vec![row("spam", true)], Some("spam"), true),
            (vec![row("spam", true)], None, true),
            (vec![row("spam", true)], Some("raid"), false),
            (vec![row(" spam ", false)], Some("spam"), true),
            (vec![row("spam", false)], None, false),
            (vec![row("other", true), row("spam", false)], Some("spam"), true),
            (vec![row(&long, false)], Some(&long[..512]), true),
        ] {
            assert_eq!(maker(&ban(reason), &rows).is_some(), ours, "{rows:?} {reason:?}");
        }
    }
}
