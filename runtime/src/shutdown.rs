//! Shutdown in two steps: first accept no new work and let running work end (`soft`), then cancel it (`hard`).
//!
//! Before them a process that serves requests is not ready for a while (`leaving`), so that load balancers
//! stop sending requests. Tasks with work in flight are spawned on [`Shutdown::tracker`]; tasks that serve
//! them until the end (event subscription, health responses) on [`Shutdown::services`], and stop at `hard`. A
//! second signal cancels at once, a third ends the process.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Grace period of work in flight after the first signal.
pub const GRACE_PERIOD: Duration = Duration::from_secs(30);
/// How long cancelled tasks may clean up before the process ends without them.
pub const CLEANUP_PERIOD: Duration = Duration::from_secs(5);

/// How long closing connections may take after that.
const CLOSE_PERIOD: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    leaving: CancellationToken,
    soft: CancellationToken,
    hard: CancellationToken,
    tracker: TaskTracker,
    services: TaskTracker,
    /// Whether it ends the whole process, not only a part of a test.
    is_process: bool,
    given_up: CancellationToken,
}

impl Shutdown {
    pub fn new() -> Self {
        Self::default()
    }

    /// A shutdown that SIGTERM and SIGINT trigger. Call it inside the runtime, before anything slow.
    ///
    /// After SIGTERM the process goes on for `notice` before the first step. Ctrl-C skips it: there is no
    /// load balancer then.
    pub fn on_signals(notice: Duration) -> Self {
        let shutdown = Self { is_process: true, ..Self::new() };
        for (kind, notice) in [(SignalKind::terminate(), notice), (SignalKind::interrupt(), Duration::ZERO)] {
            match signal(kind) {
                Ok(stream) => drop(tokio::spawn(shutdown.clone().listen(stream, notice))),
                Err(error) => {
                    tracing::warn!(%error, "cannot listen for signals: they end the process at once");
                }
            }
        }
        shutdown
    }

    /// First step: accept no new work.
    pub fn begin(&self) {
        self.leaving.cancel();
        self.soft.cancel();
    }

    /// Second step: cancel running work. Implies the first.
    pub fn cut(&self) {
        self.begin();
        self.hard.cancel();
    }

    /// A thread of this process is permanently blocked: triggers both steps, then exits with an error, even if no task
    /// can run any more. Blocks the caller until then.
    pub fn give_up(&self) {
        self.given_up.cancel();
        self.begin();
        if self.is_process {
            std::thread::sleep(GRACE_PERIOD + CLEANUP_PERIOD + CLOSE_PERIOD);
            std::process::exit(1);
        }
    }

    /// Whether the process ends because of a failure rather than a request.
    pub fn has_given_up(&self) -> bool {
        self.given_up.is_cancelled()
    }

    /// Cancelled: no longer ready, the shutdown is about to begin.
    pub fn leaving(&self) -> &CancellationToken {
        &self.leaving
    }

    /// Cancelled: accept no new work, finish running work.
    pub fn soft(&self) -> &CancellationToken {
        &self.soft
    }

    /// Cancelled: stop now.
    pub fn hard(&self) -> &CancellationToken {
        &self.hard
    }

    /// For every task whose work must not be lost.
    pub fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }

    /// For tasks that tracked tasks depend on: they run until `hard`, and are awaited last.
    pub fn services(&self) -> &TaskTracker {
        &self.services
    }

    /// Returns when a shutdown was requested and all tasks ended, or were cancelled after [`GRACE_PERIOD`] and given
    /// [`CLEANUP_PERIOD`].
    pub async fn wait(&self) {
        self.wait_for(GRACE_PERIOD, CLEANUP_PERIOD).await;
    }

    async fn wait_for(&self, grace: Duration, cut: Duration) {
        self.soft.cancelled().await;
        self.tracker.close();
        self.services.close();
        tokio::select! {
            () = self.tracker.wait() => {}
            () = self.hard.cancelled() => tracing::warn!(tasks = self.tracker.len(), "cutting work in flight"),
            () = tokio::time::sleep(grace) => tracing::warn!(tasks = self.tracker.len(), "grace is over, cutting work in flight"),
        }
        self.hard.cancel();
        let all = async { tokio::join!(self.tracker.wait(), self.services.wait()) };
        if tokio::time::timeout(cut, all).await.is_err() {
            let tasks = self.tracker.len() + self.services.len();
            tracing::error!(tasks, "tasks did not end when cut, leaving without them");
        }
    }

    async fn begin_after(self, notice: Duration) {
        // Without a notice skip the timer, which would wait for its next tick.
        if !notice.is_zero() {
            tokio::time::sleep(notice).await;
        }
        self.begin();
    }

    async fn listen(self, mut signals: Signal, notice: Duration) {
        while signals.recv().await.is_some() {
            if self.hard.is_cancelled() {
                std::process::exit(1);
            } else if self.leaving.is_cancelled() {
                self.cut();
                tracing::warn!("asked again to stop: cutting at once");
            } else {
                // Before the log line, which may block.
                self.leaving.cancel();
                tokio::spawn(self.clone().begin_after(notice));
                tracing::info!(
                    notice_s = notice.as_secs(),
                    "asked to stop: not ready, then finishing what runs"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_for_tracked_work_and_keeps_services_until_it_is_done() {
        let shutdown = Shutdown::new();
        let (soft, hard) = (shutdown.soft().clone(), shutdown.hard().clone());
        let watch = hard.clone();
        let (finish, finished) = tokio::sync::oneshot::channel();
        let work = shutdown.tracker().spawn(async move {
            soft.cancelled().await;
            finished.await.unwrap();
            watch.is_cancelled()
        });
        let service = shutdown.services().spawn(async move { hard.cancelled().await });
        shutdown.begin();
        let wait = tokio::time::timeout(Duration::from_secs(5), shutdown.wait());
        let (ended, ()) = tokio::join!(wait, async { finish.send(()).unwrap() });
        ended.expect("ends by itself");
        assert!(!work.await.unwrap(), "work was cut although it ended in time");
        assert!(service.is_finished());
    }

    #[tokio::test]
    async fn work_that_does_not_end_is_cut_after_grace() {
        let shutdown = Shutdown::new();
        let hard = shutdown.hard().clone();
        let work = shutdown.tracker().spawn(async move { hard.cancelled().await });
        shutdown.begin();
        shutdown.wait_for(Duration::from_millis(30), Duration::from_secs(5)).await;
        assert!(work.is_finished());
    }

    #[tokio::test]
    async fn a_second_request_cuts_at_once_and_stuck_tasks_do_not_hold_the_process() {
        let shutdown = Shutdown::new();
        shutdown.tracker().spawn(std::future::pending::<()>());
        shutdown.cut();
        let wait = shutdown.wait_for(GRACE_PERIOD, Duration::from_millis(30));
        tokio::time::timeout(Duration::from_secs(5), wait).await.expect("does not wait for the grace");
    }
}
