//! Jobs whose run was lost: it ended with its process, or hung until its lease ended, without a word.
//!
//! # Why a job that kills its workers takes no innocent job with it
//! A process that dies loses all its runs, and nothing says which of them was to blame. So each of them counts a loss:
//!
//! 1. The first loss costs nothing: the job is run elsewhere at once, with its attempt back. Workers are killed for
//!    many reasons, and most lost jobs are innocent.
//! 2. A job that was lost [`loss::FREE`] times in a row is a suspect. From then on it waits on the ladder before each
//!    run, and **a process runs one suspect at a time**: one whose message comes to a process where another runs is put
//!    aside unclaimed for a moment.
//! 3. Only a loss of a suspect burns an attempt; when they are used up it is dead with `worker_lost`. A run that ends in
//!    any other way clears the job: its losses are forgotten.
//!
//! An innocent job is lost beside the killer at most while the killer is no suspect, which is [`loss::FREE`] times, and
//! these cost it nothing. Once both are suspects they never run in one process again, whatever the order, and whoever
//! then dies alone with its process is the one to blame. So of an innocent job no attempt is burned by a known killer,
//! and each new killer can burn at most two. A killer costs `FREE + MAX_ATTEMPTS` processes, the first two at once, the
//! others at the ladder's pauses of a second to two hours, instead of all workers within seconds.
//!
//! The broker's own limit of redeliveries stays far away: a loss settles the message, and the next run has a new one.

use std::sync::Arc;
use std::time::Duration;

use entities::JobId;
use entities::job::lifecycle::Ending;
use entities::job::loss::{self, Sign};
use entities::job::{Model, Ticket};
use sea_orm::DbErr;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::run::failure;
use crate::{Queue, ladder, settle};

/// How long a suspect is put aside that came where another one runs.
const ASIDE: Duration = Duration::from_secs(1);

impl Queue {
    /// Takes back a job that nobody runs any more: queued again, on the ladder, or ended. Returns the ticket to ring
    /// with where it is queued; `None` when somebody was faster.
    pub(crate) async fn take_back(&self, job: &Model, sign: Sign) -> Result<Option<Option<Ticket>>, DbErr> {
        let lost = failure(500, "worker_lost", "the worker that ran the job did not finish it");
        let ending = if job.cancel_requested {
            Some(Ending::Cancelled)
        } else {
            job.is_lost_for_good().then(|| Ending::Dead(lost.clone()))
        };
        let (taken, ticket) = match ending {
            Some(ending) => (settle::end_expired(self, job, ending).await?, None),
            None => {
                let pause = (job.losses > 0).then(|| ladder::pause(job.losses));
                let times = (self.clock.now(), pause);
                let row = loss::take_back(self.database.write(), job, (&lost, sign), times).await?;
                (row.is_some(), row.filter(|_| pause.is_none()).map(|row| row.ticket()))
            }
        };
        if taken {
            tracing::warn!(
                job.id = %job.job_id, job.kind = job.kind, worker = job.worker, losses = job.losses + 1,
                "a worker is gone, or a run hung: its job was taken back"
            );
            metrics::counter!("guildhall_jobs_taken_back_total", "kind" => job.kind.clone()).increment(1);
        }
        Ok(taken.then_some(ticket))
    }

    /// The broker delivers a message again: whoever had it is gone, and may have left the job running. True when that is
    /// not so. A job that was taken back to be run at once has a message of its own, so that its next loss is seen as
    /// soon.
    pub(crate) async fn take_over(&self, ticket: &Ticket) -> Result<bool, DbErr> {
        let held = loss::held_by_ticket(self.database.read(), ticket.job, ticket.lease).await?;
        let Some(mut job) = held else { return Ok(true) };
        // Whoever waits for the answer said so in the message.
        job.reply_to = ticket.reply_to.clone().or(job.reply_to);
        self.publish(self.take_back(&job, Sign::Redelivered).await?.flatten());
        Ok(false)
    }

    /// Puts a suspect aside because another one runs here.
    pub(crate) async fn put_aside(&self, job: JobId) -> Result<(), DbErr> {
        let run_at = self.clock.now() + ladder::spread(ASIDE);
        loss::postpone(self.database.write(), job, run_at).await?;
        Ok(())
    }
}

/// Lets one suspect at a time run in this process.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Semaphore>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }

    pub(crate) fn pass(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}
