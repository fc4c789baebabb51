//! A rate limit for work of one kind in this process: work above the rate is delayed.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

pub(crate) struct Pace {
    /// When the next work may run.
    next: Mutex<Instant>,
    /// Work that may run at once after a pause.
    burst: Duration,
    /// How long work may wait at most; work that has waited so long runs faster than the rate.
    longest: Option<Duration>,
}

impl Pace {
    pub(crate) fn new(burst: Duration) -> Self {
        Self { next: Mutex::new(Instant::now()), burst, longest: None }
    }

    pub(crate) fn waits_at_most(self, longest: Duration) -> Self {
        Self { longest: Some(longest), ..self }
    }

    /// Waits until work that takes this long at the rate may run.
    pub(crate) async fn wait(&self, lasts: Duration) {
        let now = Instant::now();
        let turn = self.turn(now, lasts);
        if turn > now {
            tokio::time::sleep_until(turn).await;
        } else {
            // A steady stream of work would keep the thread.
            tokio::task::yield_now().await;
        }
    }

    fn turn(&self, now: Instant, lasts: Duration) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = self.longest.and_then(|longest| now.checked_add(longest));
        let turn = latest.map_or(*next, |latest| latest.min(*next));
        *next = turn.max(now.checked_sub(self.burst).unwrap_or(now)) + lasts;
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_burst_has_its_turn_at_once_and_the_rest_at_the_pace() {
        let (pace, begun) = (Pace::new(10 * MS), Instant::now());
        let later = begun + Duration::from_secs(60);
        let waits = |now: Instant| pace.turn(now, MS).saturating_duration_since(now);
        let waited: Vec<_> = (0..15).map(|_| waits(later)).collect();
        assert!(waited[..11].iter().all(Duration::is_zero));
        assert_eq!(waited[11..], [MS, 2 * MS, 3 * MS, 4 * MS]);
        // A pause saves up at most the burst.
        let much_later = later + Duration::from_secs(60);
        let at_once = (0..100).take_while(|_| waits(much_later).is_zero()).count();
        assert_eq!(at_once, 11);
    }

    #[test]
    fn a_flood_does_not_keep_others_for_ever() {
        let pace = Pace::new(Duration::ZERO).waits_at_most(10 * MS);
        let later = Instant::now() + Duration::from_secs(60);
        let waits = |now: Instant| pace.turn(now, MS).saturating_duration_since(now);
        assert_eq!((0..1_000).map(|_| waits(later)).max(), Some(10 * MS));
        // A cancelled wait leaves nothing behind.
        assert_eq!(waits(later + 11 * MS), Duration::ZERO);
    }

    #[tokio::test]
    async fn all_wait_together() {
        let (pace, begun) = (Pace::new(Duration::ZERO), Instant::now());
        for _ in 0..10 {
            tokio::join!(pace.wait(MS), pace.wait(MS));
        }
        assert!(begun.elapsed() >= 18 * MS);
    }
}
