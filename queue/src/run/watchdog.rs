//! Ends a process in which a run blocks its thread.
//!
//! A run that awaits is cut at its time limit. A run that computes or blocks without awaiting cannot be cut: it blocks
//! its thread and the tasks queued there. Such a task may hold the database's only writer, so the whole process may
//! stall. The process is stopped as by a signal: jobs that can still end do, then it exits with an error, and its
//! supervisor restarts it. For the job this is a crash.
//!
//! Each of the first two runs of such a job can block a process for the job's time limit plus a minute. After them the
//! job is in quarantine, and its run is polled where it blocks no other task ([`apart`]).
//!
//! The watchdog has its own thread, which no job can block.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use entities::JobId;
use runtime::Shutdown;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use super::context::JobContext;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// A run is given up after this many checks found it over its limit. Checks are counted, not time: after a freeze of
/// the whole process all runs are over their limits, and the process cuts them itself a moment later.
const CHECKS_OVER_LIMIT: u32 = 15;

/// Polls the run so that it blocks only itself: the thread's other work moves to another thread first, which
/// costs too much to do for every job. A single-threaded runtime has no other thread.
pub(super) async fn apart<F: Future>(run: F) -> F::Output {
    let mut run = pin!(run);
    std::future::poll_fn(|task| match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => run.as_mut().poll(task),
        _ => block_in_place(|| run.as_mut().poll(task)),
    })
    .await
}

/// One overdue run.
struct Watched {
    kind: String,
    limit: Instant,
    over: u32,
}

type Runs = Mutex<HashMap<JobId, Watched>>;

pub(super) struct Watchdog(Arc<Runs>);

impl Watchdog {
    pub(super) fn start(shutdown: &Shutdown) -> Self {
        let runs = Arc::<Runs>::default();
        let (watched, shutdown) = (Arc::downgrade(&runs), shutdown.clone());
        let thread = std::thread::Builder::new().name("watchdog".to_owned());
        if let Err(error) = thread.spawn(move || watch(&watched, &shutdown)) {
            tracing::warn!(%error, "cannot start the watchdog thread: blocking runs will not be noticed");
        }
        Self(runs)
    }

    /// The run is watched until the guard is dropped.
    pub(super) fn watch(&self, context: &JobContext, limit: Duration) -> Guard<'_> {
        let watched = Watched { kind: context.kind().to_owned(), limit: Instant::now() + limit, over: 0 };
        lock(&self.0).insert(context.id(), watched);
        Guard { runs: &self.0, job: context.id() }
    }
}

pub(super) struct Guard<'a> {
    runs: &'a Runs,
    job: JobId,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        lock(self.runs).remove(&self.job);
    }
}

fn lock(runs: &Runs) -> std::sync::MutexGuard<'_, HashMap<JobId, Watched>> {
    runs.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(runs: &Weak<Runs>, shutdown: &Shutdown) {
    loop {
        std::thread::sleep(CHECK_INTERVAL);
        let Some(runs) = runs.upgrade() else { return };
        if let Some((job, kind)) = look(&runs, Instant::now()) {
            tracing::error!(
                job.id = %job, job.kind = kind,
                "a job blocks a thread of this process, which stops: the job neither ended nor yielded at its time limit"
            );
            return shutdown.give_up();
        }
    }
}

/// A run that was over its limit at the maximum number of checks.
fn look(runs: &Runs, now: Instant) -> Option<(JobId, String)> {
    let mut runs = lock(runs);
    let mut over = runs.iter_mut().filter(|(_, run)| now > run.limit);
    over.find_map(|(job, run)| {
        run.over += 1;
        (run.over >= CHECKS_OVER_LIMIT).then(|| (*job, run.kind.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_given_up_after_many_checks_over_its_limit_not_by_time_alone() {
        let (runs, now) = (Runs::default(), Instant::now());
        let job = JobId(uuid::Uuid::nil());
        let watched = Watched { kind: "blocks".to_owned(), limit: now, over: 0 };
        lock(&runs).insert(job, watched);
        assert_eq!(look(&runs, now), None, "in time");
        let much_later = now + Duration::from_secs(3_600);
        for _ in 1..CHECKS_OVER_LIMIT {
            assert_eq!(look(&runs, much_later), None, "it may have been frozen with its process");
        }
        assert_eq!(look(&runs, much_later), Some((job, "blocks".to_owned())));
        drop(Guard { runs: &runs, job });
        assert_eq!(look(&runs, much_later), None, "it ended after all");
    }
}
