//! Lines of the log that would repeat while something is away.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two lines.
const EVERY: Duration = Duration::from_secs(30);

/// Tells of something at once, and of what repeats it every 30 s, with its number.
#[derive(Debug)]
pub struct Seldom(Mutex<State>);

#[derive(Debug)]
struct State {
    told_at: Option<Instant>,
    times: u64,
}

impl Seldom {
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        Self(Mutex::new(State { told_at: None, times: 0 }))
    }

    /// How often it happened since it was told, this time included. `None`: it was told a moment ago.
    pub fn tell(&self) -> Option<u64> {
        self.tell_at(Instant::now())
    }

    fn tell_at(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.told_at.is_some_and(|told_at| now < told_at + EVERY) {
            return None;
        }
        state.told_at = Some(now);
        Some(std::mem::take(&mut state.times))
    }
}

/// `tracing::warn!`, at most every 30 s from this line of code, with the number of `times`.
#[macro_export]
macro_rules! warn_seldom {
    ($($line:tt)*) => {{
        static TOLD: $crate::Seldom = $crate::Seldom::new();
        if let Some(times) = TOLD.tell() {
            tracing::warn!(times, $($line)*);
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_told_at_once_and_then_every_30_s_with_its_number() {
        let (seldom, begun) = (Seldom::new(), Instant::now());
        let told: Vec<_> =
            (0..70).map(|second| seldom.tell_at(begun + Duration::from_secs(second))).collect();
        assert_eq!((told[0], told[30], told[60]), (Some(1), Some(30), Some(30)));
        assert_eq!(told.iter().flatten().count(), 3);
    }
}
