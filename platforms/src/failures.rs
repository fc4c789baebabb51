//! The last failed calls of this process to a platform, for operators. No addresses and no bodies.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures that are kept.
const FAILURES_KEPT: usize = 20;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Time since the call.
    pub ago: Duration,
    /// The template of the path.
    pub route: &'static str,
    /// The status of the answer, or why there was none.
    pub outcome: Result<u16, &'static str>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Failures(Arc<Mutex<VecDeque<Kept>>>);

type Kept = (Instant, &'static str, Result<u16, &'static str>);

impl Failures {
    /// Keeps the outcome of a call if it failed. A 404 is not a failure.
    pub(crate) fn note(&self, route: &'static str, outcome: Result<u16, &'static str>) {
        if outcome.is_ok_and(|status| status < 400 || status == 404) {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(FAILURES_KEPT - 1);
        kept.push_front((Instant::now(), route, outcome));
    }

    /// Newest first.
    pub(crate) fn list(&self) -> Vec<CallFailure> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failure =
            |(at, route, outcome): &Kept| CallFailure { ago: at.elapsed(), route, outcome: *outcome };
        kept.iter().map(failure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_failures_are_kept() {
        let failures = Failures::default();
        for outcome in [Ok(200), Ok(404), Ok(429), Err("no answer in time")] {
            failures.note("GET /x", outcome);
        }
        let outcomes: Vec<_> = failures.list().into_iter().map(|failure| failure.outcome).collect();
        assert_eq!(outcomes, [Err("no answer in time"), Ok(429)]);
        (0..100).for_each(|_| failures.note("GET /y", Ok(500)));
        assert_eq!(failures.list().len(), FAILURES_KEPT);
    }
}
