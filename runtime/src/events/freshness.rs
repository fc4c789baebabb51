//! Whether the caches of a process are valid: they are while it read the change log within the last second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::database::Breaker;

/// Caches count as stale when the change log was not read for this long (docs/rules.md 4).
const FRESH_FOR: Duration = Duration::from_secs(1);
/// How long checks are answered from memory while the database is away (docs/rules.md 4).
const STALE_FOR: Duration = Duration::from_mins(5);
/// An outage of the database is noticed within 1.5 s (docs/rules.md 4), and a little more if this process gets no turn.
const NOTICED_WITHIN: Duration = Duration::from_secs(2);

/// Whether this process has read the change log within the last second.
#[derive(Clone, Debug)]
pub struct Freshness {
    started: Instant,
    /// Nanoseconds from `started` to the begin of the last read; 0: none.
    read_at: Arc<AtomicU64>,
    breaker: Breaker,
}

impl Freshness {
    pub(super) fn new(breaker: Breaker) -> Self {
        Self { started: Instant::now(), read_at: Arc::default(), breaker }
    }

    pub fn is_fresh(&self) -> bool {
        self.was_read_within(FRESH_FOR)
    }

    /// Resolves while the database is away and was reachable within the last five minutes: answers from
    /// memory are then allowed, if they are marked.
    async fn lost(&self) {
        self.breaker.opened().await;
        if !self.was_read_within(STALE_FOR) {
            std::future::pending::<()>().await;
        }
    }

    /// The result of a read of the database; `None`: the database is away, and was reachable within the last
    /// five minutes.
    pub async fn unless_lost<T, E>(&self, read: impl Future<Output = Result<T, E>>) -> Option<Result<T, E>> {
        tokio::select! {
            biased;
            () = self.lost() => None,
            read = read => {
                let notice = if self.breaker.is_open() { Duration::ZERO } else { NOTICED_WITHIN };
                // The error may be the first sign of an outage.
                let lost = read.is_err() && tokio::time::timeout(notice, self.lost()).await.is_ok();
                (!lost).then_some(read)
            }
        }
    }

    fn was_read_within(&self, limit: Duration) -> bool {
        let read_at = Duration::from_nanos(self.read_at.load(Ordering::Acquire));
        !read_at.is_zero() && self.started.elapsed().saturating_sub(read_at) < limit
    }

    pub(super) fn note_read(&self, began: Instant) {
        let since = began.saturating_duration_since(self.started);
        self.read_at.store(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_was_not_read_for_a_second_is_stale() {
        let freshness = Freshness {
            started: Instant::now().checked_sub(FRESH_FOR * 3).unwrap(),
            ..Freshness::new(Breaker::default())
        };
        assert!(!freshness.is_fresh(), "it was never read");
        freshness.note_read(Instant::now());
        assert!(freshness.is_fresh());
        freshness.note_read(Instant::now().checked_sub(FRESH_FOR).unwrap());
        assert!(!freshness.is_fresh());
    }

    #[tokio::test]
    async fn a_database_is_lost_while_the_breaker_is_open_and_for_five_minutes_at_most() {
        let (breaker, started) = (Breaker::default(), Instant::now().checked_sub(STALE_FOR * 2).unwrap());
        let freshness = Freshness { started, ..Freshness::new(breaker.clone()) };
        let is_lost = || futures_util::FutureExt::now_or_never(freshness.lost()).is_some();
        freshness.note_read(Instant::now());
        assert!(!is_lost(), "it is there");
        tokio::select! {
            _ = breaker.probe(std::future::pending::<Result<(), ()>>()) => unreachable!("it has no end"),
            () = breaker.opened() => {}
        }
        assert!(is_lost());
        freshness.note_read(Instant::now().checked_sub(STALE_FOR).unwrap());
        assert!(!is_lost(), "it has been away for five minutes");
        let asked = Instant::now();
        assert_eq!(
            freshness.unless_lost(std::future::ready(Err::<(), _>("refused"))).await,
            Some(Err("refused"))
        );
        assert!(asked.elapsed() < FRESH_FOR, "the outage is known");
    }
}
