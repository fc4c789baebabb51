//! Finds claims of this process that no task of it runs, because the answer to the claim was lost or the end of the run
//! could not be written, and retries their jobs. The same query passes cancel requests to running jobs, and stops runs
//! whose claims the database does not know.

use std::collections::HashMap;
use std::time::Duration;

use entities::job::{Claim, listing, run};
use sea_orm::DbErr;
use tracing::Instrument;

use super::complete::Complete;
use super::outcome::failure;
use super::registration::Registration;
use super::running::Running;
use super::span;
use crate::Queue;
use crate::backoff::backoff;

/// An unowned claim older than this is retried: longer than a claim may take.
const STRAY_AFTER: Duration = Duration::from_secs(8);

/// Claims in the database without a task, and when each was first seen.
#[derive(Default)]
pub(super) struct Strays(HashMap<Claim, Duration>);

impl Strays {
    pub(super) async fn look(
        &mut self,
        queue: &Queue,
        registration: &Registration,
        running: &Running,
    ) -> Result<(), DbErr> {
        let now = queue.clock.steady();
        let mut void = running.claims();
        let known = run::of_worker(queue.database.read(), &registration.name).await?;
        let runs = running.claims();
        let mut seen = HashMap::new();
        for row in known {
            void.remove(&row.claim);
            if row.cancel_requested {
                running.cancel(row.claim.job);
            }
            if !runs.contains(&row.claim) {
                let since = self.0.get(&row.claim).copied().unwrap_or(now);
                seen.insert(row.claim, since);
            }
        }
        // Ended a moment ago, or a promoted standby does not know the claim.
        void.iter().for_each(|claim| running.stop(claim));
        self.0 = seen;
        for (claim, since) in &self.0 {
            if now.saturating_sub(*since) >= STRAY_AFTER {
                retry(queue, claim).await?;
            }
        }
        Ok(())
    }
}

async fn retry(queue: &Queue, claim: &Claim) -> Result<(), DbErr> {
    let job = listing::find_any(queue.database.read(), claim.job).await?;
    let Some(job) = job.filter(|job| job.claim() == *claim) else { return Ok(()) };
    let interrupted = failure(500, "interrupted", "the run ended without a result");
    let retried = async {
        tracing::warn!("a run ended without a result, trying again");
        Complete::of_row(queue, &job).retry(&interrupted, backoff(job.attempt)).await.map(drop)
    };
    retried.instrument(span::of(&job)).await
}
