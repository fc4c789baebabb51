//! A row of the table `job` and its types.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, Func, SimpleExpr};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};
use utoipa::ToSchema;

use crate::audit_entry::Actor;
use crate::by_id::no_relations;
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
    /// Attempts counted against `max_attempts`: without yields, snoozes, and runs cut by the first crashes.
    pub attempt: i32,
    pub max_attempts: i32,
    /// Consecutive crashes during runs of this job, see [`super::rescue`].
    pub crashes: i32,
    /// The fencing token: raised by each claim.
    pub token: i64,
    /// The process that runs it, or ran it last.
    pub worker: Option<String>,
    /// When the job becomes available.
    pub run_at: Timestamp,
    /// Where the result for a waiting caller is sent, kept when the job runs again.
    pub reply_to: Option<String>,
    pub dedupe_key: Option<String>,
    pub progress_done: i64,
    pub progress_total: i64,
    pub progress_failed: i64,
    /// Time of the last progress write.
    pub progress_at: Option<Timestamp>,
    pub checkpoint: Option<Json>,
    /// Checkpoints written by its runs.
    pub saves: i32,
    pub cancel_requested: bool,
    pub result: Option<Json>,
    /// A [`Failure`].
    pub error: Option<Json>,
    /// Failures of its attempts, see [`super::history`].
    pub errors: Option<Json>,
    pub actor_id: Option<i64>,
    pub key_id: Option<KeyId>,
    pub request_id: Option<String>,
    /// The span that enqueued it, as W3C Trace Context writes it.
    pub traceparent: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}

no_relations!();

/// The queue of a job. Each class has its own slots, so interactive jobs never wait for bulk jobs.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    VariantArray,
    VariantNames,
    EnumString,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Class {
    Interactive,
    Default,
    Bulk,
    /// Calls of hosts that guilds choose, which may be slow.
    Delivery,
    /// Periodic tasks; scheduler processes run them.
    Maintenance,
    /// Jobs that were running in two consecutive crashes.
    Quarantine,
}

impl Class {
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
    pub const NAMES: &'static [&'static str] = <Self as VariantNames>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum State {
    /// Available from `run_at` on.
    Queued,
    /// Its guild has its full share of the class in flight.
    Held,
    Running,
    /// A parent with open children.
    Waiting,
    Succeeded,
    /// Ended with an error that another attempt would not fix.
    Failed,
    /// Ended with its attempts exhausted; can be retried.
    Dead,
    Cancelled,
}

impl State {
    pub const OPEN: [Self; 4] = [Self::Queued, Self::Held, Self::Running, Self::Waiting];

    pub fn is_open(self) -> bool {
        Self::OPEN.contains(&self)
    }

    /// For statements that rely on a partial index: Postgres uses one only where it reads the state in the statement.
    pub(super) fn literal(self) -> SimpleExpr {
        SimpleExpr::Constant(self.into())
    }

    pub(super) fn is(self) -> SimpleExpr {
        Column::State.into_expr().eq(self.literal())
    }

    /// For rows found by their ids. Postgres often assumes that few jobs are queued or running, and would read all of
    /// them instead.
    pub(super) fn is_unindexed(self) -> SimpleExpr {
        let state = Func::coalesce([Column::State.into_expr(), SimpleExpr::Constant("".into())]);
        SimpleExpr::from(state).eq(self.literal())
    }
}

/// Why a job or one attempt of it did not succeed, as its caller sees it. `message` is public text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = JobError)]
pub struct Failure {
    /// The HTTP status a waiting caller gets.
    #[schema(example = 502)]
    pub status: u16,
    /// A stable code for programs.
    #[schema(example = "platform_unavailable")]
    pub error: String,
    #[schema(example = "the chat platform does not answer")]
    pub message: String,
    /// Seconds after which asking again makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Failure {
    pub(super) fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or(Json::Null)
    }
}

/// The right to write for one run: the job, the fencing token of its claim, and the process that claimed it.
/// A standby that is promoted without the newest commits reuses tokens, but not for the same process: see
/// `queue/src/run/running.rs`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claim {
    pub job: JobId,
    pub token: i64,
    pub worker: String,
}

/// A job and its fencing token when its message was published. A job with another token cannot be claimed by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Published {
    pub job: JobId,
    pub token: i64,
}

/// Progress of a job: of `total` steps, `done` have ended, and `failed` of those failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub done: i64,
    pub total: i64,
    pub failed: i64,
}

/// The progress that a run writes, and the number of checkpoints it knows in the row: with another number there the
/// database has lost one to a failover, and the run with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub progress: Progress,
    pub saves: i32,
}

impl Model {
    /// Whether a cancel changes it. A dead job waits for somebody's decision; a dead chunk ended with its parent.
    pub fn is_cancellable(&self) -> bool {
        self.state.is_open() || (self.state == State::Dead && self.parent_id.is_none())
    }

    pub fn failure(&self) -> Option<Failure> {
        self.error.clone().and_then(|error| serde_json::from_value(error).ok())
    }

    /// The claim recorded on this row, as read or as returned by the claim.
    pub fn claim(&self) -> Claim {
        Claim { job: self.job_id, token: self.token, worker: self.worker.clone().unwrap_or_default() }
    }

    pub fn progress(&self) -> Progress {
        Progress { done: self.progress_done, total: self.progress_total, failed: self.progress_failed }
    }

    pub fn known(&self) -> Known {
        Known { progress: self.progress(), saves: self.saves }
    }

    /// The actor that enqueued the job.
    pub fn actor(&self) -> Actor {
        Actor {
            actor_id: self.actor_id.unwrap_or(0),
            key_id: self.key_id,
            request_id: self.request_id.clone(),
        }
    }

    /// The trace of the request that caused it, if it is sampled.
    pub fn trace_id(&self) -> Option<&str> {
        self.traceparent.as_deref()?.strip_suffix("-01")?.split('-').nth(1)
    }

    pub fn message(&self) -> JobMessage {
        JobMessage {
            job: self.job_id,
            token: self.token,
            run_at: self.run_at,
            kind: self.kind.clone(),
            class: self.class,
            reply_to: self.reply_to.clone(),
        }
    }
}

/// The content of a broker message about a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobMessage {
    pub job: JobId,
    /// The fencing token at publication. A claim with another token hits no row.
    pub token: i64,
    pub run_at: Timestamp,
    pub kind: String,
    pub class: Class,
    pub reply_to: Option<String>,
}

impl JobMessage {
    /// The condition under which the row matches the message.
    pub fn published(&self) -> Published {
        Published { job: self.job, token: self.token }
    }
}
