//! `shield_import`: flags game users for all guilds, in bulk (docs/rules.md 9).
//!
//! Each thousand is one transaction: its flags, its audit entry, and the checkpoint with the counts so far. So a cut
//! run loses no flag and counts no user twice. Users that are already flagged, repeated, or unknown to the game
//! platform are skipped; while the platform is unreachable, the rest of the job waits.

use std::collections::HashSet;

use entities::audit_entry::{self, NewEntry};
use entities::shield_flag::{self, NewFlag, Origin};
use entities::{PlayId, guild};
use platforms::CallContext;
use queue::kinds::{ShieldImport, ToFlag};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::{Event, Events};
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::errors::job_error;
use crate::services::Services;

pub(crate) struct Job(pub(crate) Services);

/// Users per transaction and per platform lookup.
const CHUNK: usize = 1_000;
/// Largest import that a caller may wait for: one names call. Larger imports use the timeouts of bulk
/// jobs.
const FEW: usize = 200;

/// The checkpoint: users before `next` are done.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Reached {
    next: usize,
    imported: u64,
    skipped: u64,
}

impl Handler for Job {
    type Payload = ShieldImport;

    async fn run(&self, job: &JobContext, args: ShieldImport) -> Result<Outcome, JobError> {
        let mut reached: Reached = job.last_checkpoint().unwrap_or_default();
        while let Some(chunk) = args.users.get(reached.next..).and_then(|rest| rest.chunks(CHUNK).next()) {
            job.check_cancelled()?;
            if job.should_yield() {
                return Ok(Outcome::Yield);
            }
            let flags = self.flags(job, &args, chunk).await?;
            reached = self.write(job, &args, chunk, &flags, reached).await?;
        }
        Ok(Outcome::done(json!({ "imported": reached.imported, "skipped": reached.skipped })))
    }
}

impl Job {
    /// The flags of a chunk to write. Only missing names are requested from the platform.
    async fn flags(
        &self,
        job: &JobContext,
        args: &ShieldImport,
        chunk: &[ToFlag],
    ) -> Result<Vec<NewFlag>, JobError> {
        let plays: Vec<PlayId> = chunk.iter().map(|user| user.play_id).collect();
        let known = shield_flag::find_many(job.database().read(), &plays).await?;
        let mut seen: HashSet<PlayId> = known.into_iter().map(|flag| flag.play_id).collect();
        let new: Vec<&ToFlag> = chunk.iter().filter(|user| seen.insert(user.play_id)).collect();
        let asked: Vec<PlayId> = new.iter().map(|user| user.play_id).collect();
        let call = if args.users.len() > FEW {
            CallContext::bulk(args.guild)
        } else {
            CallContext::interactive(args.guild)
        };
        let mut names = self.0.platforms.play.usernames(call, &asked).await.map_err(job_error)?;
        let flag = |user: &ToFlag| {
            let play_username = names.remove(&user.play_id)?;
            Some(NewFlag { play: user.play_id, play_username, reason: user.reason.clone() })
        };
        Ok(new.into_iter().filter_map(flag).collect())
    }

    /// Writes a chunk of users, of whom `flags` are to be flagged.
    async fn write(
        &self,
        job: &JobContext,
        args: &ShieldImport,
        read: &[ToFlag],
        flags: &[NewFlag],
        before: Reached,
    ) -> Result<Reached, JobError> {
        let transaction = job.begin().await?;
        require_permission(&transaction, args).await?;
        let origin = Origin { by: args.by, guild: Some(args.guild), source: "import", at: job.now() };
        let imported = shield_flag::import(&transaction, flags, origin).await?;
        let skipped = (read.len() as u64).saturating_sub(imported);
        if imported > 0 {
            let entry = NewEntry {
                guild: args.guild,
                action: "shield.import",
                target: job.id().to_string(),
                metadata: json!({ "imported": imported, "skipped": skipped, "job_id": job.id() }),
            };
            audit_entry::write(&transaction, &job.actor(), entry, job.now()).await?;
        }
        let reached = Reached {
            next: before.next + read.len(),
            imported: before.imported + imported,
            skipped: before.skipped + skipped,
        };
        let progress = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        job.set_progress(progress(reached.next), progress(args.users.len()), 0);
        let plays = || flags.iter().map(|flag| flag.play).collect();
        let changed = (imported > 0).then(|| Event::ShieldChanged { plays: plays() });
        let recorded = Events::record(&transaction, changed, job.now()).await?;
        job.checkpoint(transaction, &reached).await?;
        self.0.events.publish(recorded);
        Ok(reached)
    }
}

/// The guild may have left the allowlist since its request.
async fn require_permission<C: ConnectionTrait>(conn: &C, args: &ShieldImport) -> Result<(), JobError> {
    if guild::find(conn, args.guild).await?.is_some_and(|guild| guild.shield_writer) {
        return Ok(());
    }
    let message = "the guild is not on the Shield allowlist any more; what was imported so far stays";
    Err(JobError::Fail(failure(403, "not_on_allowlist", message)))
}
