//! `shield_import`: flags game users for all guilds, in bulk (docs/rules.md 9).
//!
//! Each thousand is one transaction: its flags, its audit entry, and the checkpoint with the counts so far. So a cut
//! run loses no flag and counts no user twice. Users that are already flagged, repeated, or unknown to the game
//! platform are skipped, and the result has the reason for each; while the platform is unreachable, the rest
//! of the job waits.

use std::collections::HashSet;

use entities::audit_entry::NewEntry;
use entities::shield_flag::{self, NewFlag, Origin};
use entities::{PlayId, guild};
use jobs::kinds::{ShieldImport, ToFlag};
use platforms::{CallContext, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::Event;
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::errors::job_error;

pub(crate) struct Job(pub(crate) Platforms);

/// Users per transaction and per platform lookup.
const USERS_PER_CHUNK: usize = 1_000;
/// Largest import that a caller may wait for: one names call. Larger imports use the timeouts of bulk
/// jobs.
const MAX_INTERACTIVE_USERS: usize = 200;

/// The checkpoint: users before `next` are done.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Reached {
    next: usize,
    imported: u64,
    skipped: Vec<Skipped>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Skipped {
    play_id: String,
    reason: Reason,
}

impl Skipped {
    fn new(play: PlayId, reason: Reason) -> Self {
        Self { play_id: play.to_string(), reason }
    }
}

/// Why a user of an import got no flag.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    AlreadyFlagged,
    /// Earlier in the same import.
    Repeated,
    /// The game platform has no such user.
    UnknownUser,
}

/// The outcome for the users of a chunk.
struct Sorted {
    flags: Vec<NewFlag>,
    skipped: Vec<Skipped>,
}

impl Handler for Job {
    type Payload = ShieldImport;

    async fn run(&self, job: &JobContext, args: ShieldImport) -> Result<Outcome, JobError> {
        let mut reached: Reached = job.last_checkpoint().unwrap_or_default();
        while let Some(chunk) =
            args.users.get(reached.next..).and_then(|rest| rest.chunks(USERS_PER_CHUNK).next())
        {
            job.check_cancelled()?;
            if job.should_yield() {
                return Ok(Outcome::Yield);
            }
            let sorted = self.sort(job, &args, chunk, reached.next).await?;
            reached = self.write(job, &args, sorted, reached).await?;
        }
        let Reached { imported, skipped, .. } = reached;
        Ok(Outcome::done(json!({ "imported": imported, "skipped": skipped.len(), "skipped_users": skipped })))
    }
}

impl Job {
    /// Which users of a chunk, the first of which is number `first` of the import, get a flag. Only missing names are
    /// requested from the platform.
    async fn sort(
        &self,
        job: &JobContext,
        args: &ShieldImport,
        chunk: &[ToFlag],
        first: usize,
    ) -> Result<Sorted, JobError> {
        let plays: Vec<PlayId> = chunk.iter().map(|user| user.play_id).collect();
        let known = shield_flag::find_many(job.database().read(), &plays).await?;
        let known: HashSet<PlayId> = known.into_iter().map(|flag| flag.play_id).collect();
        let mut seen: HashSet<PlayId> = args.users.iter().take(first).map(|user| user.play_id).collect();
        let (mut new, mut skipped) = (Vec::new(), Vec::new());
        for user in chunk {
            let reason = match seen.insert(user.play_id) {
                false => Reason::Repeated,
                true if known.contains(&user.play_id) => Reason::AlreadyFlagged,
                true => {
                    new.push(user);
                    continue;
                }
            };
            skipped.push(Skipped::new(user.play_id, reason));
        }
        let asked: Vec<PlayId> = new.iter().map(|user| user.play_id).collect();
        let call = if args.users.len() > MAX_INTERACTIVE_USERS {
            CallContext::bulk(args.guild)
        } else {
            CallContext::interactive(args.guild)
        };
        let mut names = self.0.play.usernames(call, &asked).await.map_err(job_error)?;
        let mut flags = Vec::new();
        for user in new {
            match names.remove(&user.play_id) {
                Some(play_username) => {
                    flags.push(NewFlag { play: user.play_id, play_username, reason: user.reason.clone() });
                }
                None => skipped.push(Skipped::new(user.play_id, Reason::UnknownUser)),
            }
        }
        Ok(Sorted { flags, skipped })
    }

    /// Writes the flags of a chunk.
    async fn write(
        &self,
        job: &JobContext,
        args: &ShieldImport,
        Sorted { flags, mut skipped }: Sorted,
        mut reached: Reached,
    ) -> Result<Reached, JobError> {
        let read = flags.len() + skipped.len();
        let mut work = job.begin().await?;
        require_permission(work.tx(), args).await?;
        let origin = Origin { by: args.by, guild: Some(args.guild), source: "import", at: job.now() };
        let imported = shield_flag::import(work.tx(), &flags, origin).await?;
        if imported < flags.len() as u64 {
            // Another call was faster.
            let plays: Vec<PlayId> = flags.iter().map(|flag| flag.play).collect();
            let lost = shield_flag::find_many(work.tx(), &plays).await?;
            let lost = lost.into_iter().filter(|flag| {
                (flag.flagged_by_guild, flag.flagged_by, flag.flagged_at)
                    != (origin.guild, origin.by, origin.at)
            });
            skipped.extend(lost.map(|flag| Skipped::new(flag.play_id, Reason::AlreadyFlagged)));
        }
        if imported > 0 {
            let entry = NewEntry {
                guild: args.guild,
                action: "shield.import",
                target: job.id().to_string(),
                metadata: json!({ "imported": imported, "skipped": skipped.len(), "job_id": job.id() }),
            };
            work.audit(job.actor(), entry);
        }
        reached.next += read;
        reached.imported += imported;
        reached.skipped.append(&mut skipped);
        let progress = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        job.set_progress(progress(reached.next), progress(args.users.len()), 0);
        let plays = || flags.iter().map(|flag| flag.play).collect();
        work.announce((imported > 0).then(|| Event::ShieldChanged { plays: plays() }));
        job.checkpoint(work, &reached).await?;
        Ok(reached)
    }
}

/// The guild may have left the allowlist since its request.
async fn require_permission<C: ConnectionTrait>(conn: &C, args: &ShieldImport) -> Result<(), JobError> {
    if guild::find(conn, args.guild).await?.is_some_and(|guild| guild.shield_writer) {
        return Ok(());
    }
    let message = "the guild is no longer on the Shield allowlist; flags imported so far stay";
    Err(JobError::Fail(failure(403, "not_on_allowlist", message)))
}
