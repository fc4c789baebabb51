//! The pace at which sockets are opened, so that thousands of game servers that reconnect at once leave time for requests.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// For each new socket: 2,500 a second.
const EACH: Duration = Duration::from_micros(400);
/// How far ahead of the pace new sockets may be: 50 of them at once.
const AHEAD: Duration = Duration::from_millis(20);

/// When the sockets opened so far would have been opened at the pace.
pub(crate) struct Pace(Mutex<Instant>);

impl Pace {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    pub(crate) fn opened(&self) {
        self.opened_at(Instant::now());
    }

    fn opened_at(&self, now: Instant) {
        let mut until = self.lock();
        *until = (*until).max(now) + EACH;
    }

    /// Waits while sockets are opened too fast; then further connections wait in the system's queue.
    pub(crate) async fn wait(&self) {
        let until = *self.lock();
        if until > Instant::now() + AHEAD {
            sleep_until(until - AHEAD).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_few_sockets_open_at_once_and_thousands_at_a_pace() {
        let (pace, begun) = (Pace::new(), Instant::now());
        for _ in 0..50 {
            pace.opened_at(begun);
        }
        assert!(*pace.lock() <= begun + AHEAD + EACH);
        for _ in 0..450 {
            pace.opened_at(begun);
        }
        pace.wait().await;
        assert!(begun.elapsed() + AHEAD >= EACH * 500);
        // Time without new sockets is not saved up.
        let later = begun + Duration::from_secs(60);
        pace.opened_at(later);
        assert_eq!(*pace.lock(), later + EACH);
    }
}
