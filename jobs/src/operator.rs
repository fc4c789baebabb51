//! Changes by operators, by a command or in the console: jobs of any guild, pauses, and schedules' jobs. The
//! audit log of the guild that a change concerns names the operator.

use entities::audit_chain;
use entities::audit_entry::{Actor, NewEntry};
use entities::job::{Model, retry as rows};
use entities::job_pause::{self, Note, Scope};
use entities::{Conn, GuildId, JobId, Timestamp};
use queue::Queue;
use runtime::{Database, Event, Transaction};
use sea_orm::DbErr;
use serde_json::{Value, json};

use crate::{Retry, retry};

/// Jobs per query of [`Operator::retry_all`].
const BATCH: u64 = 200;

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    pub actor: Actor,
    /// Field `by` of the metadata of audit entries: guilds see that one of the service's operators did it.
    pub by: String,
}

/// The outcome of [`Operator::retry_all`].
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RetriedAll {
    pub queued: u64,
    /// An unfinished job does the same, or the guild's quota is used up.
    pub refused: u64,
}

impl Operator {
    /// The entry with the operator's name; `metadata` is an object.
    #[must_use]
    pub fn signed(&self, mut entry: NewEntry) -> NewEntry {
        entry.metadata["by"] = self.by.as_str().into();
        entry
    }

    pub async fn audit(&self, conn: &impl Conn, entry: NewEntry, now: Timestamp) -> Result<(), DbErr> {
        audit_chain::write(conn, &self.actor, self.signed(entry), now).await.map(drop)
    }

    /// Periodic jobs belong to no guild, so they have no audit log.
    async fn audit_job(
        &self,
        conn: &impl Conn,
        job: &Model,
        action: &'static str,
        now: Timestamp,
    ) -> Result<(), DbErr> {
        let Some(guild) = job.guild_id else { return Ok(()) };
        let metadata = json!({ "kind": job.kind, "state": job.status(now).name() });
        self.audit(conn, NewEntry { guild, action, target: job.job_id.to_string(), metadata }, now).await
    }

    /// Retries a job in a transaction of its own.
    pub async fn retry(&self, database: &Database, job: &Model, now: Timestamp) -> Result<Retry, DbErr> {
        let transaction = database.begin().await?;
        let outcome = retry(&transaction, job, now).await?;
        if matches!(outcome, Retry::Queued(_)) {
            self.audit_job(&transaction, job, "jobs.retry", now).await?;
            transaction.commit().await?;
        }
        Ok(outcome)
    }

    /// Retries failed and dead jobs, the oldest first, at most `limit`. Each has a transaction of its own, so that an
    /// interrupted call keeps what it has done. The safety net of the workers finds them within seconds.
    pub async fn retry_all(
        &self,
        database: &Database,
        which: rows::Which<'_>,
        limit: u64,
        now: Timestamp,
    ) -> Result<RetriedAll, DbErr> {
        let (mut all, mut after) = (RetriedAll::default(), None);
        loop {
            let most = BATCH.min(limit - all.queued - all.refused);
            let jobs = rows::find_failed(database.read(), which, after, most).await?;
            for job in &jobs {
                match self.retry(database, job, now).await? {
                    Retry::Queued(_) => all.queued += 1,
                    Retry::NotFailed(_) | Retry::PartOf(_) | Retry::Duplicate(_) | Retry::OverQuota(_) => {
                        all.refused += 1;
                    }
                }
            }
            after = jobs.last().map(|job| job.job_id);
            if (jobs.len() as u64) < BATCH {
                return Ok(all);
            }
        }
    }

    /// Cancels a job; see [`cancel`](crate::cancel()). Announce the event with the commit.
    pub async fn cancel(
        &self,
        queue: &Queue,
        transaction: &Transaction,
        job: JobId,
        now: Timestamp,
    ) -> Result<Option<(Model, Event)>, DbErr> {
        let cancelled = crate::cancel(queue, transaction, job).await?;
        if let Some((whole, _)) = &cancelled {
            self.audit_job(transaction, whole, "jobs.cancel", now).await?;
        }
        Ok(cancelled)
    }

    /// Starts no further jobs of a class or guild. False: they were paused already.
    pub async fn pause(
        &self,
        conn: &impl Conn,
        scope: Scope,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, DbErr> {
        let by = (self.actor.actor_id != 0).then_some(self.actor.actor_id);
        let note = Note { reason: reason.to_owned(), by };
        let changed = job_pause::create(conn, scope, note, now).await?;
        if let (true, Scope::Guild(guild)) = (changed, scope) {
            let metadata = if reason.is_empty() { json!({}) } else { json!({ "reason": reason }) };
            self.audit_pause(conn, guild, "jobs.pause", metadata, now).await?;
        }
        Ok(changed)
    }

    /// Starts jobs of a class or guild again. False: they were not paused.
    pub async fn resume(&self, conn: &impl Conn, scope: Scope, now: Timestamp) -> Result<bool, DbErr> {
        let changed = job_pause::delete(conn, scope).await?;
        if let (true, Scope::Guild(guild)) = (changed, scope) {
            self.audit_pause(conn, guild, "jobs.resume", json!({}), now).await?;
        }
        Ok(changed)
    }

    async fn audit_pause(
        &self,
        conn: &impl Conn,
        guild: GuildId,
        action: &'static str,
        metadata: Value,
        now: Timestamp,
    ) -> Result<(), DbErr> {
        let entry = NewEntry { guild, action, target: guild.to_string(), metadata };
        self.audit(conn, entry, now).await
    }
}
