//! Rescues the jobs of dead worker processes, and releases held jobs left over by a race.
//!
//! After an outage of the database every heartbeat is stale. So a leader declares workers dead only after it has
//! reached the database without a gap for long enough.

use std::time::{Duration, Instant};

use jobs::kinds;
use queue::Queue;
use runtime::Shutdown;

use crate::interval::LeaderInterval;
use runtime::leader::Leadership;

const RESCUE_INTERVAL: Duration = Duration::from_secs(1);
/// A larger gap between two passes means that the database or this process was down.
const LONGEST_GAP: Duration = Duration::from_secs(4);
/// Required time of uninterrupted database access: a worker writes a heartbeat every three seconds.
const REQUIRED_CONTACT: Duration = Duration::from_secs(7);

/// An increase over a counter that appears with its first event does not see that event.
pub(crate) fn begin_at_zero() {
    for (kind, _) in kinds::ALL {
        metrics::counter!("guildhall_jobs_rescued_total", "kind" => kind).increment(0);
    }
}

pub(crate) async fn keep(queue: Queue, leadership: Leadership, shutdown: Shutdown) {
    let mut interval = LeaderInterval::new(RESCUE_INTERVAL, leadership, shutdown);
    let mut watch = Watch::default();
    while interval.next().await {
        let asked = Instant::now();
        let looked = if watch.is_steady(asked) {
            queue.rescue().await.map(drop)
        } else {
            queue.rescue_orphaned().await.map(drop)
        };
        match looked.and(queue.release_stranded().await) {
            Ok(()) => watch.reached(asked, Instant::now()),
            Err(error) => {
                watch = Watch::default();
                runtime::warn_throttled!(%error, "cannot look for dead workers, trying again");
            }
        }
    }
}

/// Since when the database has been reachable without a gap.
#[derive(Default)]
struct Watch(Option<(Instant, Instant)>);

impl Watch {
    fn is_steady(&self, now: Instant) -> bool {
        self.0.is_some_and(|(since, last)| now - last <= LONGEST_GAP && last - since >= REQUIRED_CONTACT)
    }

    fn reached(&mut self, asked: Instant, answered: Instant) {
        let unbroken = answered - asked <= LONGEST_GAP;
        let since = self
            .0
            .filter(|(_, last)| unbroken && asked - *last <= LONGEST_GAP)
            .map_or(answered, |(since, _)| since);
        self.0 = Some((since, answered));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_declared_dead_only_after_uninterrupted_database_access() {
        let mut watch = Watch::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(!watch.is_steady(start));
        for second in 0..=7 {
            assert!(!watch.is_steady(at(second)), "after {second} s");
            watch.reached(at(second), at(second));
        }
        assert!(watch.is_steady(at(8)));
        assert!(!watch.is_steady(at(12)), "it did not answer for five seconds");
        watch.reached(at(12), at(12));
        assert!(!watch.is_steady(at(13)), "it starts over");
        watch.reached(at(13), at(18));
        watch.reached(at(18), at(18));
        assert!(!watch.is_steady(at(19)), "an answer that took five seconds is a gap");
    }
}
