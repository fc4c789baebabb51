//! The context of a running job: its row, its time slice, its cancellation, its checkpoints.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use entities::audit_entry::Actor;
use entities::job::family::{self, Steps};
use entities::job::run::{self, Reached};
use entities::job::{Claim, Known, Model, Progress, insert};
use entities::{JobId, Timestamp};
use runtime::{Clock, Database, UnitOfWork};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::outcome::JobError;
use super::registration::Registration;
use crate::{Draft, Queue};

/// After this long a run with a checkpoint should yield.
const YIELD_AFTER: Duration = Duration::from_secs(30);

pub struct JobContext {
    job: Model,
    queue: Queue,
    cancel: CancellationToken,
    registration: Arc<Registration>,
    started: Instant,
    work: Mutex<Work>,
}

/// The progress of the run.
struct Work {
    progress: Progress,
    /// Checkpoints in the row.
    saves: i32,
    /// Progress in the row, already added to the parent's for a child.
    saved: Progress,
    /// For a chunk: its addition to its parent's result, however it ends.
    counters: Option<serde_json::Value>,
    /// Changes made outside the database.
    writes: i64,
}

impl JobContext {
    pub(super) fn new(job: Model, queue: Queue, registration: Arc<Registration>) -> Self {
        let (progress, saves) = (job.progress(), job.saves);
        let cancel = CancellationToken::new();
        if job.cancel_requested {
            cancel.cancel();
        }
        let counters = job.result.clone().filter(|_| job.parent_id.is_some());
        Self {
            job,
            queue,
            cancel,
            registration,
            started: Instant::now(),
            work: Mutex::new(Work { progress, saves, saved: progress, counters, writes: 0 }),
        }
    }

    pub fn id(&self) -> JobId {
        self.job.job_id
    }

    pub(crate) fn kind(&self) -> &str {
        &self.job.kind
    }

    /// From 1. [`JobContext::is_resumed`] says whether an earlier run may have done part of the work.
    pub fn attempt(&self) -> i32 {
        self.job.attempt
    }

    /// True if an earlier run may have got further than its checkpoint.
    pub fn is_resumed(&self) -> bool {
        self.job.token > 1
    }

    pub fn args(&self) -> &serde_json::Value {
        &self.job.args
    }

    /// The actor that enqueued the job.
    pub fn actor(&self) -> Actor {
        self.job.actor()
    }

    pub fn database(&self) -> &Database {
        &self.queue.database
    }

    pub fn clock(&self) -> &Clock {
        &self.queue.clock
    }

    /// Time since the job was enqueued.
    pub fn since_enqueued(&self) -> Duration {
        (self.now() - self.job.created_at).to_std().unwrap_or_default()
    }

    /// Time since the job was first claimed, by any process.
    pub fn age(&self) -> Duration {
        let started = self.job.started_at.unwrap_or(self.job.created_at);
        (self.now() - started).to_std().unwrap_or_default()
    }

    pub fn now(&self) -> Timestamp {
        self.queue.clock.now()
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The job this one is a chunk of.
    pub fn parent(&self) -> Option<JobId> {
        self.job.parent_id
    }

    /// The row as it was claimed.
    pub(crate) fn row(&self) -> &Model {
        &self.job
    }

    /// The claim that every write of this run names.
    pub(crate) fn claim(&self) -> Claim {
        self.job.claim()
    }

    pub(super) fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Await it right before each effect outside the database: it fails if the job was cancelled, or may run
    /// elsewhere.
    pub async fn before_effect(&self) -> Result<(), JobError> {
        runtime::fail_point("before_effect", self.kind()).await;
        if !self.registration.is_confirmed_soon(self.clock()).await {
            return Err(JobError::ClaimLost);
        }
        self.check_cancelled()
    }

    /// Like [`before_effect`](Self::before_effect), for an effect that must not happen twice: always queries the
    /// database.
    pub async fn before_single_effect(&self) -> Result<(), JobError> {
        self.before_effect().await?;
        match run::confirm(self.queue.database.write(), self.claim()).await? {
            Some(false) => self.check_cancelled(),
            Some(true) => Err(JobError::Cancelled),
            None => Err(JobError::ClaimLost),
        }
    }

    /// Fails if the job was cancelled. Before an effect outside the database use
    /// [`before_effect`](Self::before_effect).
    pub fn check_cancelled(&self) -> Result<(), JobError> {
        if self.cancel.is_cancelled() { Err(JobError::Cancelled) } else { Ok(()) }
    }

    /// Cancelled with the job.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancel
    }

    /// The time slice is over or the process is ending: write a checkpoint and return
    /// [`super::outcome::Outcome::Yield`].
    pub fn should_yield(&self) -> bool {
        self.started.elapsed() >= YIELD_AFTER || self.queue.shutdown.soft().is_cancelled()
    }

    /// The checkpoint of an earlier run; `None` on the first run, or if the checkpoint's format has changed.
    pub fn last_checkpoint<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.job.checkpoint.clone()?).ok()
    }

    pub(crate) fn known(&self) -> Known {
        let Work { progress, saves, .. } = *self.work();
        Known { progress, saves }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the job's progress; it is written with the next checkpoint or the end.
    pub fn set_progress(&self, done: i64, total: i64, failed: i64) {
        self.work().progress = Progress { done, total, failed };
    }

    /// Progress since it was last written.
    pub(crate) fn unsaved(&self) -> Steps {
        let Work { progress, saved, .. } = &*self.work();
        Steps { done: progress.done - saved.done, failed: progress.failed - saved.failed }
    }

    /// A chunk's counters so far, numbers by name: written with its checkpoints, and added to its parent's result at
    /// its end. A successful chunk returns them as its result.
    pub fn set_counters(&self, counters: serde_json::Value) {
        self.work().counters = Some(counters);
    }

    pub(crate) fn counters(&self) -> Option<serde_json::Value> {
        self.work().counters.clone()
    }

    /// Counts a change that this run made outside the database.
    pub fn count_write(&self) {
        self.work().writes += 1;
    }

    pub fn writes(&self) -> i64 {
        self.work().writes
    }

    /// A unit of work for [`JobContext::checkpoint`] and the writes to commit with it.
    pub async fn begin(&self) -> Result<UnitOfWork, JobError> {
        Ok(self.queue.begin().await?)
    }

    /// A unit of work for writes outside of the job's row. It fails without the claim, and keeps it until it ends, so that a
    /// run that was frozen and has lost the job writes nothing.
    pub async fn begin_with_claim(&self) -> Result<UnitOfWork, JobError> {
        let work = self.begin().await?;
        if run::hold(work.tx(), self.claim()).await? { Ok(work) } else { Err(JobError::ClaimLost) }
    }

    /// Commits the unit of work, and publishes what it has enqueued.
    pub async fn commit(&self, work: UnitOfWork) -> Result<(), JobError> {
        self.queue.publish(work.commit().await?);
        Ok(())
    }

    /// Commits a checkpoint and the progress, for a child also on its parent, together with the earlier writes of
    /// the unit of work.
    pub async fn checkpoint(&self, work: UnitOfWork, checkpoint: &impl Serialize) -> Result<(), JobError> {
        let checkpoint = serde_json::to_value(checkpoint).unwrap_or_default();
        let known = self.known();
        if let Some(parent) = self.job.parent_id {
            family::add_progress(work.tx(), parent, self.unsaved(), self.now()).await?;
        }
        let counters = self.counters().filter(|_| self.job.parent_id.is_some());
        let reached = Reached { checkpoint, counters, known };
        if !run::checkpoint(work.tx(), self.claim(), reached, self.now()).await? {
            return Err(JobError::ClaimLost);
        }
        self.queue.publish(work.commit().await?);
        let mut reached = self.work();
        (reached.saved, reached.saves) = (known.progress, known.saves + 1);
        Ok(())
    }

    /// Inserts chunks of this job; they wait until it returns [`super::outcome::Outcome::FanOut`].
    pub async fn add_chunks<C: ConnectionTrait>(&self, conn: &C, chunks: Vec<Draft>) -> Result<(), JobError> {
        let rows = chunks.into_iter().map(|chunk| chunk.into_chunk_of(self.id())).collect();
        Ok(insert::insert_held(conn, rows, self.now()).await?)
    }
}

/// Polls the run only while its process's heartbeat is confirmed. Another future has to wake the task.
pub(super) async fn while_confirmed<F: Future>(context: &JobContext, run: F) -> F::Output {
    let mut run = pin!(run);
    let in_doubt = || context.registration.in_doubt(context.clock());
    std::future::poll_fn(|task| if in_doubt() { Poll::Pending } else { run.as_mut().poll(task) }).await
}
