//! Jobs: the row is the truth about a piece of work; the broker only says that there is some (design 4).
//!
//! `scheduled → queued → running → succeeded | retrying (→ queued) | failed | dead | cancelled`; a parent whose
//! children are open is `waiting`. Each claim raises the lease number, and every later write of the claimer names it:
//! a late worker changes no row. Modules: [`lifecycle`] one job, [`batch`] many at once, [`family`] parents and children, [`loss`] runs
//! that ended with their worker, [`outbox`] what the scheduler moves, [`history`] and [`listing`] what people look at.

pub mod batch;
pub mod cancel;
pub mod family;
pub mod history;
pub mod lifecycle;
pub mod listing;
pub mod loss;
pub mod outbox;

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{GuildId, JobId, KeyId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "job")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: JobId,
    pub guild_id: Option<GuildId>,
    pub parent_id: Option<JobId>,
    pub kind: String,
    pub class: Class,
    pub args: Json,
    pub state: State,
    /// How often it was claimed, not counting runs that gave it back unharmed, and the first that were lost in a row.
    pub attempt: i32,
    pub max_attempts: i32,
    pub lease: i64,
    pub lease_until: Option<Timestamp>,
    pub worker: Option<String>,
    /// When it was or will be queued; none for a chunk that waits for its turn.
    pub run_at: Option<Timestamp>,
    pub published_at: Option<Timestamp>,
    /// Where the answer for a waiting caller goes, kept when the job is to be run again.
    pub reply_to: Option<String>,
    pub dedupe_key: Option<String>,
    pub progress_done: i64,
    pub progress_total: i64,
    pub progress_failed: i64,
    pub checkpoint: Option<Json>,
    pub cancel_requested: bool,
    pub result: Option<Json>,
    /// A [`Failure`].
    pub error: Option<Json>,
    pub actor_id: Option<i64>,
    pub key_id: Option<KeyId>,
    pub request_id: Option<String>,
    pub trace_context: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// What its tries ran into, see [`history`].
    pub errors: Option<Json>,
    /// Runs in a row that were lost, see [`loss`].
    pub losses: i32,
    /// When progress was noted last.
    pub progress_at: Option<Timestamp>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Which queue a job waits in. Interactive never waits for bulk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum Class {
    #[sea_orm(string_value = "interactive")]
    Interactive,
    #[sea_orm(string_value = "default")]
    Default,
    #[sea_orm(string_value = "bulk")]
    Bulk,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Default, Self::Bulk];

    pub fn name(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Default => "default",
            Self::Bulk => "bulk",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for its time or, a chunk, for its turn.
    #[sea_orm(string_value = "scheduled")]
    Scheduled,
    #[sea_orm(string_value = "queued")]
    Queued,
    #[sea_orm(string_value = "running")]
    Running,
    /// A parent with open children.
    #[sea_orm(string_value = "waiting")]
    Waiting,
    #[sea_orm(string_value = "retrying")]
    Retrying,
    #[sea_orm(string_value = "succeeded")]
    Succeeded,
    /// Ended with an error that another try would not mend.
    #[sea_orm(string_value = "failed")]
    Failed,
    /// Ended with its attempts used up; can be replayed.
    #[sea_orm(string_value = "dead")]
    Dead,
    #[sea_orm(string_value = "cancelled")]
    Cancelled,
}

impl State {
    pub const OPEN: [Self; 5] = [Self::Scheduled, Self::Queued, Self::Running, Self::Waiting, Self::Retrying];

    pub fn is_open(self) -> bool {
        Self::OPEN.contains(&self)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Retrying => "retrying",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a job or one try of it did not succeed, as its caller is told. `message` is public text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The HTTP status a waiting caller gets.
    pub status: u16,
    /// A stable word for programs.
    pub error: String,
    pub message: String,
    /// Seconds after which asking again makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Model {
    pub fn failure(&self) -> Option<Failure> {
        self.error.clone().and_then(|error| serde_json::from_value(error).ok())
    }

    pub fn ticket(&self) -> Ticket {
        Ticket {
            job: self.job_id,
            lease: self.lease,
            kind: self.kind.clone(),
            class: self.class,
            reply_to: self.reply_to.clone(),
        }
    }
}

/// All that the broker carries about a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    pub job: JobId,
    /// The lease number at the time of ringing: a claim made with this ticket holds the next one.
    pub lease: i64,
    pub kind: String,
    pub class: Class,
    pub reply_to: Option<String>,
}

impl Ticket {
    /// For a job that was never run.
    pub fn fresh(job: JobId, kind: &str, class: Class) -> Self {
        Self { job, lease: 0, kind: kind.to_owned(), class, reply_to: None }
    }
}
