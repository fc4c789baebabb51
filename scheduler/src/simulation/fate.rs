//! What can befall a simulated process, and where.

use std::time::Duration;

use chrono::TimeDelta;
use rand::RngExt;
use rand::rngs::StdRng;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) point: Point,
    pub(super) harm: Harm,
    /// If it has not come to the point until then (in true time), it meets its fate wherever it is.
    pub(super) at_the_latest: Duration,
}

/// Where in its work a process is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Between two steps.
    Start,
    /// After it has waited that often for the database: anywhere in a beat, a claim, or the noting of an end.
    Wait(u32),
    /// A tick is claimed, its run has not begun.
    Claimed,
    /// A run has done some of its batches.
    Midway,
    /// A run has done all of them; its end is not noted.
    BeforeNoted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Harm {
    Kill,
    /// SIGSTOP for that long.
    Freeze(Duration),
    /// SIGTERM.
    Stop,
}

impl Harm {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kill => "killed",
            Self::Freeze(_) => "frozen",
            Self::Stop => "stopped",
        }
    }
}

/// The longest that a process stays down or frozen.
pub(super) const LONGEST: u64 = 45;
/// Clocks are never further off than this, but for a day set wrong.
const WORST_OFFSET: i64 = 180;

impl Fate {
    pub(super) fn draw(random: &mut StdRng, now: Duration) -> Self {
        let point = match random.random_range(0..8) {
            0 => Point::Start,
            1..4 => Point::Wait(random.random_range(1..40)),
            4 => Point::Claimed,
            5 => Point::Midway,
            _ => Point::BeforeNoted,
        };
        let harm = match random.random_range(0..10) {
            0..5 => Harm::Kill,
            5..9 => Harm::Freeze(seconds(random)),
            _ => Harm::Stop,
        };
        // A stop is asked for; it does not cut a wait.
        let point = if harm == Harm::Stop { Point::Start } else { point };
        Self { point, harm, at_the_latest: now + Duration::from_secs(3) }
    }
}

pub(super) fn seconds(random: &mut StdRng) -> Duration {
    Duration::from_secs(random.random_range(1..=LONGEST))
}

/// By how much a clock that is `offset` off steps: seconds to minutes, either way, or right again.
pub(super) fn step(random: &mut StdRng, offset: TimeDelta) -> TimeDelta {
    let most = 2_i64.pow(random.random_range(1..8));
    let step = TimeDelta::milliseconds(random.random_range(-1000 * most..=1000 * most));
    let too_far = (offset + step).abs() > TimeDelta::seconds(WORST_OFFSET);
    if too_far || random.random_bool(0.2) { -offset } else { step }
}
