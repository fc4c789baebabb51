//! The circuit breaker of a database. The change log's reader probes the database several times a second; while nothing
//! is answered, statements of guarded handles fail at once instead of waiting for a connection.
//!
//! A slow database keeps it closed: every answered statement counts, not only the probe.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The breaker opens when a probe fails or waits and no statement was answered for this long.
const SILENCE_LIMIT: Duration = Duration::from_millis(1_250);

/// Shared by all pools of a process.
#[derive(Clone, Debug)]
pub struct Breaker {
    started: Instant,
    /// Nanoseconds from `started` to the last answer.
    answered_at: Arc<AtomicU64>,
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    Closed {
        /// Since the end of the last outage, if there was one.
        since: Option<Instant>,
        /// Probes have failed since this one began.
        failing: Option<Instant>,
    },
}

impl Default for Breaker {
    fn default() -> Self {
        let (state, answered_at) =
            (watch::Sender::new(State::Closed { since: None, failing: None }), Arc::default());
        Self { started: Instant::now(), answered_at, state }
    }
}

impl Breaker {
    pub(crate) fn is_open(&self) -> bool {
        matches!(*self.state.borrow(), State::Open)
    }

    /// Resolves while it is open.
    pub(crate) async fn opened(&self) {
        // Its sender lives as long as `self`.
        let _ = self.state.subscribe().wait_for(|state| matches!(state, State::Open)).await;
    }

    /// Whether an outage ended within the last `span`.
    pub(super) fn closed_within(&self, span: Duration) -> bool {
        matches!(*self.state.borrow(), State::Closed { since: Some(since), .. } if since.elapsed() <= span)
    }

    /// A statement was answered.
    pub(super) fn answered(&self) {
        let at = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.answered_at.fetch_max(at, Ordering::Relaxed);
    }

    /// Runs a probe of the database: the breaker opens if it gets no answer, and closes when one succeeds.
    pub(crate) async fn probe<T, E>(&self, probe: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let mut probe = pin!(probe);
        // A refusal before this probe counts as silence, too.
        let began = self.failing_since().unwrap_or_else(Instant::now);
        let outcome = tokio::select! {
            biased;
            outcome = &mut probe => outcome,
            () = self.silence(began) => {
                self.open();
                probe.await
            }
        };
        match outcome {
            Ok(_) => self.close(),
            Err(_) if self.answered_at().elapsed() >= SILENCE_LIMIT => self.open(),
            Err(_) => self.fail(began),
        }
        outcome
    }

    /// Resolves when nothing was answered for [`SILENCE_LIMIT`] since `began`.
    async fn silence(&self, began: Instant) {
        loop {
            let end = self.answered_at().max(began) + SILENCE_LIMIT;
            if end <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(end).await;
        }
    }

    fn failing_since(&self) -> Option<Instant> {
        match *self.state.borrow() {
            State::Open => None,
            State::Closed { failing, .. } => failing,
        }
    }

    fn fail(&self, began: Instant) {
        self.state.send_if_modified(|state| {
            if let State::Closed { failing, .. } = state {
                *failing = Some(began);
            }
            false
        });
    }

    fn answered_at(&self) -> Instant {
        self.started + Duration::from_nanos(self.answered_at.load(Ordering::Relaxed))
    }

    fn open(&self) {
        let opened = self
            .state
            .send_if_modified(|state| !matches!(std::mem::replace(state, State::Open), State::Open));
        if opened {
            metrics::gauge!("guildhall_database_away").set(1);
            tracing::warn!("the database does not answer");
        }
    }

    /// After each probe that succeeds.
    fn close(&self) {
        metrics::gauge!("guildhall_database_away").set(0);
        let closed = self.state.send_if_modified(|state| match state {
            State::Open => {
                *state = State::Closed { since: Some(Instant::now()), failing: None };
                true
            }
            State::Closed { failing, .. } => {
                *failing = None;
                false
            }
        });
        if closed {
            tracing::info!("the database answers again");
        }
    }
}

#[cfg(test)]
mod tests;
