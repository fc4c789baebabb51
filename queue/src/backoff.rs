//! The pause before the next attempt of a job.

use std::time::Duration;

use rand::RngExt;

/// Pauses after the first, second, … failed attempt; the last one repeats.
const BACKOFF: [Duration; 7] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 60 * 60),
];

/// Fraction by which a pause varies either way, so that jobs that failed together do not retry together.
const JITTER: f64 = 0.2;

/// The pause after attempt number `attempt` (from 1) failed.
pub(crate) fn backoff(attempt: i32) -> Duration {
    let step = usize::try_from(attempt.max(1) - 1).unwrap_or(0).min(BACKOFF.len() - 1);
    jitter(BACKOFF[step])
}

pub(crate) fn jitter(pause: Duration) -> Duration {
    #[cfg(test)]
    if let Some(factor) = fixed::factor() {
        return pause.mul_f64(factor);
    }
    pause.mul_f64(rand::rng().random_range(1.0 - JITTER..=1.0 + JITTER))
}

/// Jitter set by a simulation, for its thread.
#[cfg(test)]
pub(crate) mod fixed {
    use std::cell::Cell;

    thread_local!(static FACTOR: Cell<Option<f64>> = const { Cell::new(None) });

    pub(super) fn factor() -> Option<f64> {
        FACTOR.get()
    }

    pub(crate) fn set(factor: f64) {
        FACTOR.set(Some(factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_within_a_fifth_and_stay_at_the_last_step() {
        for (attempt, seconds) in [(1, 1.0), (2, 5.0), (3, 30.0), (7, 7_200.0), (8, 7_200.0), (100, 7_200.0)]
        {
            for _ in 0..100 {
                let pause = backoff(attempt).as_secs_f64();
                assert!((seconds * 0.799..=seconds * 1.201).contains(&pause), "attempt {attempt}: {pause}");
            }
        }
    }
}
