//! The rates to keep: the number of permits, and the rules for bulk.

use runtime::PlatformRate;

use crate::pacing::numbers::{LONGEST_REQUEST, Micros, SECOND};

/// Permits and the window for which each is held after its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `None`: no limit.
    pub(crate) capacity: Option<u32>,
    /// Permits that bulk leaves free while interactive calls are active.
    pub(crate) reserve: u32,
    /// Bulk calls in a burst after an idle time; beyond them bulk runs at an even pace.
    pub(crate) burst: u32,
    pub(crate) window: Micros,
}

/// Interactive calls are active for this long after one, or for a window if that is longer.
const INTERACTIVE_ACTIVE_FOR: Micros = 2 * SECOND;

impl Rules {
    /// By default 50 a second. Bulk leaves 2 free, and uses all 2 s after the last interactive call.
    pub(crate) fn chat(per_second: PlatformRate) -> Self {
        Self::new(per_second, 4, 10, SECOND)
    }

    /// By default 300 a minute. A permit returns a minute later here, so bulk leaves more free, and for longer.
    pub(crate) fn play(per_minute: PlatformRate) -> Self {
        Self::new(per_minute, 10, 30, 60 * SECOND)
    }

    fn new(rate: PlatformRate, reserve: u64, burst: u64, window: Micros) -> Self {
        let PlatformRate::Calls(calls) = rate else {
            return Self { capacity: None, reserve: 0, burst: 1, window };
        };
        let calls = calls.get();
        let percent = |part: u64| u32::try_from((u64::from(calls) * part).div_ceil(100)).unwrap_or(calls);
        Self {
            capacity: Some(calls),
            reserve: percent(reserve).min(calls - 1),
            burst: percent(burst),
            window,
        }
    }

    /// Interval between two bulk calls at an even pace. Unused without a limit.
    pub(super) fn interval(&self) -> Micros {
        self.window / u64::from(self.capacity.unwrap_or(1))
    }

    /// How far bulk may be ahead of the even pace.
    pub(super) fn lead(&self) -> Micros {
        self.interval() * u64::from(self.burst.saturating_sub(1))
    }

    /// A vanished holder's permit is free after this: a request has ended by then in any case, and if the
    /// window is longer it counts as sent at once.
    pub(super) fn hold(&self) -> Micros {
        self.window.max(LONGEST_REQUEST)
    }

    pub(super) fn about(&self) -> Micros {
        self.window.max(INTERACTIVE_ACTIVE_FOR)
    }

    /// The rate of one of this many processes that cannot see each other.
    pub(crate) fn share(self, processes: u32) -> Self {
        Self { capacity: self.capacity.map(|calls| (calls / processes.max(1)).max(1)), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bulk_leaves_a_share_and_keeps_an_even_pace() {
        let chat = Rules::chat("50".parse().unwrap());
        assert_eq!((chat.capacity, chat.reserve, chat.burst), (Some(50), 2, 5));
        assert_eq!((chat.interval(), chat.lead(), chat.about()), (20_000, 80_000, 2 * SECOND));
        let play = Rules::play("300".parse().unwrap());
        assert_eq!((play.capacity, play.reserve, play.burst), (Some(300), 30, 90));
        assert_eq!((play.interval(), play.about()), (200_000, 60 * SECOND));
        assert_eq!((chat.hold(), play.hold()), (10 * SECOND, 60 * SECOND));
        assert_eq!((chat.share(4).capacity, chat.share(1).capacity), (Some(12), Some(50)));
        let slow = Rules::chat("1".parse().unwrap());
        assert_eq!((slow.reserve, slow.burst), (0, 1), "bulk gets on at any rate");
        assert_eq!(Rules::chat(PlatformRate::Off).capacity, None);
    }
}
