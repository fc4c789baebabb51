//! The rates to keep: how many permits there are, and how bulk goes about them.

use runtime::Rate;

use crate::pacing::numbers::{Micros, REQUEST, SECOND};

/// Permits and the window each is kept after its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `None`: no limit.
    pub(crate) capacity: Option<u32>,
    /// Permits that bulk leaves free while interactive calls are about.
    pub(crate) reserve: u32,
    /// Bulk calls that may go at once after a lull; beyond them bulk goes at an even pace.
    pub(crate) burst: u32,
    pub(crate) window: Micros,
}

/// Interactive calls are "about" for this long after one, or for a window where that is longer.
const ABOUT: Micros = 2 * SECOND;

impl Rules {
    /// By default 50 a second. Bulk leaves 2 free, and has all of them 2 s after the last interactive call.
    pub(crate) fn chat(per_second: Rate) -> Self {
        Self::new(per_second, (4, 10), SECOND)
    }

    /// By default 300 a minute. A permit comes back a minute later here, so more is left free, and for longer.
    pub(crate) fn play(per_minute: Rate) -> Self {
        Self::new(per_minute, (10, 30), 60 * SECOND)
    }

    fn new(rate: Rate, (reserve, burst): (u64, u64), window: Micros) -> Self {
        let Rate::Calls(calls) = rate else { return Self { capacity: None, reserve: 0, burst: 1, window } };
        let calls = calls.get();
        let percent = |part: u64| u32::try_from((u64::from(calls) * part).div_ceil(100)).unwrap_or(calls);
        Self {
            capacity: Some(calls),
            reserve: percent(reserve).min(calls - 1),
            burst: percent(burst),
            window,
        }
    }

    /// Between two bulk calls at an even pace. Without a limit nobody asks.
    pub(super) fn interval(&self) -> Micros {
        self.window / u64::from(self.capacity.unwrap_or(1))
    }

    /// How far bulk may be ahead of the even pace.
    pub(super) fn lead(&self) -> Micros {
        self.interval() * u64::from(self.burst.saturating_sub(1))
    }

    /// A permit whose holder vanished is free after this: a request ends by then one way or the other, and where the
    /// window is longer it counts as sent right away.
    pub(super) fn hold(&self) -> Micros {
        self.window.max(REQUEST)
    }

    pub(super) fn about(&self) -> Micros {
        self.window.max(ABOUT)
    }

    /// What one process allows itself while it cannot see the others.
    pub(crate) fn alone(self) -> Self {
        Self { capacity: self.capacity.map(|calls| (calls / 4).max(1)), ..self }
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
        assert_eq!(chat.alone().capacity, Some(12));
        let slow = Rules::chat("1".parse().unwrap());
        assert_eq!((slow.reserve, slow.burst), (0, 1), "bulk gets on at any rate");
        assert_eq!(Rules::chat(Rate::Off).capacity, None);
    }
}
