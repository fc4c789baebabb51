//! `mirror_ban`: makes the chat platform's ban of one user what the guild's bans call for (decisions 4).
//!
//! What is called for is read right before the platform is asked, and again after it: the last call that reaches the
//! platform is always followed by a look at the bans, so a ban and its end cannot overtake each other. The outcome
//! stands on the bans and in the audit log, a failed try too; the ladder repeats it.

use async_trait::async_trait;
use entities::audit_entry::{self, NewEntry};
use entities::ban::{self, mirror};
use entities::{Person, Subject};
use platforms::{CallContext, Missing, PlatformError};
use queue::Payload;
use queue::kinds::MirrorBan;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::Services;
use crate::errors::job_error;

pub(crate) struct Job(pub(crate) Services);

/// Stands in the guild's own audit log on the chat platform.
const LIFTED: &str = "no ban of the guild is in force any more";

#[async_trait]
impl Handler for Job {
    type Payload = MirrorBan;

    async fn run(&self, job: &JobContext, args: MirrorBan) -> Result<Outcome, JobError> {
        let banned = match self.bring_in_line(job, &args).await {
            Ok(banned) => banned,
            Err(error) => {
                tell_failure(job, &args, &error).await;
                return Err(error);
            }
        };
        mirror::finish(job.database().write(), args.guild, job.id(), Ok(())).await?;
        let audit = NewEntry {
            guild: args.guild,
            action: "moderation.mirror",
            target: args.user.to_string(),
            metadata: json!({ "banned": banned }),
        };
        Ok(Outcome::Done { result: json!({ "banned": banned }), audit: vec![audit] })
    }
}

impl Job {
    /// Returns whether the user is banned on the platform now.
    async fn bring_in_line(&self, job: &JobContext, args: &MirrorBan) -> Result<bool, JobError> {
        let mut applied = None;
        loop {
            let wanted = wanted(job, args).await?;
            if applied == Some(wanted.is_some()) {
                return Ok(wanted.is_some());
            }
            job.before_effect().await?;
            let call = CallContext::interactive(args.guild);
            let chat = &self.0.platforms.chat;
            match &wanted {
                Some(ban) => chat.ban(call, args.user, &ban.reason).await.map_err(job_error)?,
                None => match chat.unban(call, args.user, LIFTED).await {
                    Ok(()) | Err(PlatformError::NotFound(Missing::Ban | Missing::User)) => {}
                    Err(error) => return Err(job_error(error)),
                },
            }
            applied = Some(wanted.is_some());
        }
    }
}

/// The ban of every game that is in force for the user, by either account.
async fn wanted(job: &JobContext, args: &MirrorBan) -> Result<Option<ban::Model>, JobError> {
    // Read where the bans are written: what was committed a moment ago is seen.
    let conn = job.database().write();
    let person = Person::resolve(conn, args.guild, Subject::Chat(args.user)).await?;
    Ok(ban::active::remaining(conn, args.guild, (person, None), job.now()).await?)
}

/// Shows on the bans, and in the audit log, why the platform does not have what they call for.
async fn tell_failure(job: &JobContext, args: &MirrorBan, error: &JobError) {
    let (failure, retried) = match error {
        JobError::Retry(failure) | JobError::RetryAfter(failure, _) => {
            (failure, job.attempt() < MirrorBan::MAX_ATTEMPTS)
        }
        JobError::Fail(failure) => (failure, false),
        JobError::Cancelled | JobError::LeaseLost => return,
    };
    let entry = NewEntry {
        guild: args.guild,
        action: "moderation.mirror_failed",
        target: args.user.to_string(),
        metadata: json!({ "error": failure.error, "message": failure.message, "attempt": job.attempt(),
                          "retried": retried }),
    };
    let told = async {
        let transaction = job.database().begin().await?;
        let bans = mirror::finish(&transaction, args.guild, job.id(), Err(&failure.message)).await?;
        // Bans that a newer job has taken over have its outcome.
        if !bans.is_empty() {
            audit_entry::write(&transaction, &job.actor(), entry, job.now()).await?;
        }
        transaction.commit().await
    };
    if let Err(error) = told.await {
        tracing::warn!(job.id = %job.id(), %error, "cannot note on a ban that its mirror failed");
    }
}
