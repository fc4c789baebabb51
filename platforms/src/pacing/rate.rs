//! The rates to keep, as they are configured.

use std::str::FromStr;

use super::{Micros, SECOND};

/// Calls in a window, or no limit (a simulator without limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    Off,
    /// 1 to 10,000 calls.
    At(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number of calls from 1 to 10000, or `off`")]
pub struct RateError;

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        match text.parse() {
            Ok(calls @ 1..=10_000) => Ok(Self::At(calls)),
            _ => Err(RateError),
        }
    }
}

/// `GUILDHALL_CHAT_RATE` (default 50) and `GUILDHALL_PLAY_RATE` (default 300).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacingLimits {
    pub chat_per_second: Rate,
    pub play_per_minute: Rate,
}

impl Default for PacingLimits {
    fn default() -> Self {
        Self { chat_per_second: Rate::At(50), play_per_minute: Rate::At(300) }
    }
}

impl PacingLimits {
    pub const OFF: Self = Self { chat_per_second: Rate::Off, play_per_minute: Rate::Off };

    /// 50 a second, of which bulk gets 47.
    pub(crate) fn chat(self) -> Rules {
        Rules::new(self.chat_per_second, 6, SECOND)
    }

    /// 300 a minute, of which bulk gets 270.
    pub(crate) fn play(self) -> Rules {
        Rules::new(self.play_per_minute, 10, 60 * SECOND)
    }
}

/// Permits and the window each is kept after its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `None`: no limit.
    pub(crate) capacity: Option<u32>,
    /// How many of them bulk may hold.
    pub(crate) bulk: u32,
    pub(crate) window: Micros,
}

impl Rules {
    /// Bulk leaves `reserved` percent to interactive calls.
    fn new(rate: Rate, reserved: u32, window: Micros) -> Self {
        match rate {
            Rate::Off => Self { capacity: None, bulk: 0, window },
            Rate::At(calls) => {
                let bulk = (calls - (calls * reserved).div_ceil(100)).max(1);
                Self { capacity: Some(calls), bulk, window }
            }
        }
    }

    /// What one process allows itself while it cannot see the others.
    pub(crate) fn alone(self) -> Self {
        let quarter = |n: u32| (n / 4).max(1);
        Self { capacity: self.capacity.map(quarter), bulk: quarter(self.bulk), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_or_off() {
        assert_eq!("50".parse(), Ok(Rate::At(50)));
        assert_eq!("OFF".parse(), Ok(Rate::Off));
        for bad in ["", "0", "-1", "10001", "1.5", "on"] {
            assert_eq!(bad.parse::<Rate>(), Err(RateError), "{bad}");
        }
    }

    #[test]
    fn bulk_leaves_a_share() {
        let chat = PacingLimits::default().chat();
        assert_eq!((chat.capacity, chat.bulk), (Some(50), 47));
        let play = PacingLimits::default().play();
        assert_eq!((play.capacity, play.bulk), (Some(300), 270));
        assert_eq!((chat.alone().capacity, chat.alone().bulk), (Some(12), 11));
        assert_eq!(PacingLimits::OFF.chat().capacity, None);
    }
}
