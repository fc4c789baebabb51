//! The rates to keep: how many permits there are, and how many of them bulk may hold.

use runtime::Rate;

use super::{Micros, SECOND};

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
    /// By default 50 a second, of which bulk gets 47.
    pub(crate) fn chat(per_second: Rate) -> Self {
        Self::new(per_second, 6, SECOND)
    }

    /// By default 300 a minute, of which bulk gets 270.
    pub(crate) fn play(per_minute: Rate) -> Self {
        Self::new(per_minute, 10, 60 * SECOND)
    }

    /// Bulk leaves `reserved` percent to interactive calls.
    fn new(rate: Rate, reserved: u64, window: Micros) -> Self {
        let Rate::Calls(calls) = rate else { return Self { capacity: None, bulk: 0, window } };
        let calls = calls.get();
        let share = (u64::from(calls) * reserved).div_ceil(100);
        let bulk = calls.saturating_sub(u32::try_from(share).unwrap_or(u32::MAX)).max(1);
        Self { capacity: Some(calls), bulk, window }
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
    fn bulk_leaves_a_share() {
        let chat = Rules::chat("50".parse().unwrap());
        assert_eq!((chat.capacity, chat.bulk), (Some(50), 47));
        let play = Rules::play("300".parse().unwrap());
        assert_eq!((play.capacity, play.bulk), (Some(300), 270));
        assert_eq!((chat.alone().capacity, chat.alone().bulk), (Some(12), 11));
        assert_eq!(Rules::chat("1".parse().unwrap()).bulk, 1);
        assert_eq!(Rules::chat(Rate::Off).capacity, None);
    }
}
