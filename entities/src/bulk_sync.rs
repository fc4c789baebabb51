//! How often a guild may sync all its members (docs/rules.md 3): one window of an hour for runs and one for dry runs,
//! kept as rows, so that a restart does not reset them.
//!
//! A run's row names its job and counts only while that job is open or has changed something. So a run that ends before
//! its first write frees the window.

use chrono::Duration;
use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use serde::{Deserialize, Serialize};

use crate::by_id::no_relations;
use crate::job::{self, State};
use crate::{Conn, GuildId, JobId, Result, Timestamp, guild};

/// Length of a window (docs/rules.md 3).
pub const WINDOW: Duration = Duration::hours(1);

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_sync")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: Kind,
    pub opened_at: Timestamp,
    /// Runs accepted in this window.
    pub used: i32,
    /// The job of the newest run.
    pub job_id: JobId,
}

no_relations!();

/// Runs and dry runs have windows of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Kind {
    /// A run that may write.
    Run,
    DryRun,
}

impl Kind {
    pub fn of(dry_run: bool) -> Self {
        if dry_run { Self::DryRun } else { Self::Run }
    }

    /// Runs accepted in one window.
    pub fn limit(self) -> u32 {
        match self {
            Self::Run => 1,
            Self::DryRun => 6,
        }
    }
}

/// The state of a guild's window at a given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub kind: Kind,
    pub used: u32,
    /// The last job that used the window; `None` in a fresh window.
    pub job: Option<JobId>,
    pub opened_at: Timestamp,
    now: Timestamp,
}

impl Standing {
    fn fresh(kind: Kind, now: Timestamp) -> Self {
        Self { kind, used: 0, job: None, opened_at: now, now }
    }

    pub fn is_used_up(&self) -> bool {
        self.used >= self.kind.limit()
    }

    pub fn remaining(&self) -> u32 {
        self.kind.limit().saturating_sub(self.used)
    }

    /// The time until the window ends.
    pub fn reset_after(&self) -> std::time::Duration {
        (self.opened_at + WINDOW - self.now).to_std().unwrap_or_default()
    }
}

/// The state of the window, read without a lock.
pub async fn standing(conn: &impl Conn, guild: GuildId, kind: Kind, now: Timestamp) -> Result<Standing> {
    let Some(row) = Entity::find_by_id((guild, kind)).one(conn).await? else {
        return Ok(Standing::fresh(kind, now));
    };
    // A clock that is set back must not extend the window.
    let opened_at = row.opened_at.min(now);
    if opened_at + WINDOW <= now || (kind == Kind::Run && came_to_nothing(conn, row.job_id).await?) {
        return Ok(Standing::fresh(kind, now));
    }
    let used = u32::try_from(row.used).unwrap_or(0);
    Ok(Standing { kind, used, job: Some(row.job_id), opened_at, now })
}

/// Like [`standing`], with the guild locked until the transaction ends: of two processes that request a run, the second
/// sees the first one's use.
pub async fn lock(conn: &impl Conn, guild: GuildId, kind: Kind, now: Timestamp) -> Result<Standing> {
    guild::find_for_update(conn, guild).await?;
    standing(conn, guild, kind, now).await
}

/// Counts this job into the window that [`lock`] returned, and returns its new state.
pub async fn take(conn: &impl Conn, guild: GuildId, standing: Standing, job: JobId) -> Result<Standing> {
    let taken = Standing { used: standing.used + 1, job: Some(job), ..standing };
    let row = ActiveModel {
        guild_id: Set(guild),
        kind: Set(taken.kind),
        opened_at: Set(taken.opened_at),
        used: Set(i32::try_from(taken.used).unwrap_or(i32::MAX)),
        job_id: Set(job),
    };
    let conflict = OnConflict::columns([Column::GuildId, Column::Kind])
        .update_columns([Column::OpenedAt, Column::Used, Column::JobId])
        .to_owned();
    Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(taken)
}

/// Whether the job is over and changed nothing on the chat platform, although it did not succeed.
async fn came_to_nothing(conn: &impl Conn, job: JobId) -> Result<bool> {
    let Some(job) = job::listing::find_any(conn, job).await? else { return Ok(false) };
    let writes = job.result.as_ref().and_then(|result| result["writes"].as_i64()).unwrap_or(0);
    Ok(!job.state.is_open() && job.state != State::Succeeded && writes == 0)
}
