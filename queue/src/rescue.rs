//! Rescues jobs of worker processes that died, and releases held jobs that no job end will release.
//! `entities::job::rescue` defines what a crash means for a job; the leading scheduler calls this every second.

use std::time::Duration;

use entities::job::run::Ending;
use entities::job::{Model, rescue, turns};
use entities::process::DEAD_AFTER;
use entities::worker;
use sea_orm::DbErr;
use tracing::Instrument;

use crate::Queue;
use crate::backoff::backoff;
use crate::run::{Complete, failure, span};

/// Rows read per query.
const ROWS_PER_QUERY: u64 = 500;

impl Queue {
    /// Declares stale worker processes dead and requeues their jobs; returns the number of jobs.
    pub async fn rescue(&self) -> Result<u64, DbErr> {
        let dead = worker::delete_stale(self.database.write(), DEAD_AFTER, self.clock.now()).await?;
        if dead > 0 {
            tracing::warn!(workers = dead, "workers without a heartbeat: their jobs are rescued");
        }
        self.rescue_orphaned().await
    }

    /// At the start of the only process of an installation: no job is running, whatever the rows say.
    pub async fn rescue_all(&self) -> Result<u64, DbErr> {
        worker::delete_all(self.database.write()).await?;
        self.rescue_orphaned().await
    }

    /// Requeues the jobs of processes without a row: they have ended, or were declared dead. A job that cannot be
    /// requeued, or that is locked, does not delay the others: the next call finds it.
    pub async fn rescue_orphaned(&self) -> Result<u64, DbErr> {
        let (mut rescued, mut after) = (0, None);
        loop {
            let orphaned = rescue::orphaned(self.database.write(), after, ROWS_PER_QUERY).await?;
            for job in &orphaned {
                match self.rescue_one(job).instrument(span::of(job)).await {
                    Ok(done) => rescued += u64::from(done),
                    Err(error) => {
                        runtime::warn_throttled!(job.id = %job.job_id, %error, "cannot rescue a job, trying again");
                    }
                }
            }
            after = orphaned.last().map(|job| job.job_id);
            if (orphaned.len() as u64) < ROWS_PER_QUERY {
                return Ok(rescued);
            }
        }
    }

    /// Releases jobs that stayed held after a race between an enqueue and a job end.
    pub async fn release_stranded(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        for (guild, class) in turns::stranded(self.database.read(), now, ROWS_PER_QUERY).await? {
            match turns::release(self.database.write(), guild, class, turns::share(class), now).await {
                Ok(released) => self.publish(released),
                Err(error) => {
                    runtime::warn_throttled!(guild.id = %guild, %error, "cannot release held jobs, trying again");
                }
            }
        }
        Ok(())
    }

    /// False: it was rescued or ended meanwhile.
    async fn rescue_one(&self, job: &Model) -> Result<bool, DbErr> {
        let crash = failure(500, "worker_lost", "the worker that ran the job did not finish it");
        let complete = Complete::of_row(self, job);
        let rescued = if job.cancel_requested {
            complete.end(Ending::Cancelled).await?
        } else if job.crash_is_final() {
            complete.end(Ending::Dead(crash)).await?
        } else {
            let wait = if job.crashes == 0 { Duration::ZERO } else { backoff(job.crashes) };
            complete.crashed(&crash, wait).await?
        };
        if rescued {
            let crashes = job.crashes + 1;
            tracing::warn!(worker = job.worker, crashes, "rescued the job of a dead worker process");
            metrics::counter!("guildhall_jobs_rescued_total", "kind" => job.kind.clone()).increment(1);
        }
        Ok(rescued)
    }
}
