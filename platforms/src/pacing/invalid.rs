//! Counts invalid answers by the minute: the chat platform bans an address for too many of them.

use crate::pacing::numbers::{INVALID_MINUTES, Micros, SECOND};

const MINUTE: Micros = 60 * SECOND;

#[derive(Debug, Default)]
pub(super) struct InvalidAnswers {
    /// (minute, answers), oldest first.
    minutes: Vec<(u64, u32)>,
}

impl InvalidAnswers {
    pub(super) fn count(&mut self, now: Micros) {
        self.forget(now);
        let minute = now / MINUTE;
        match self.minutes.last_mut() {
            Some((last, answers)) if *last == minute => *answers += 1,
            _ => self.minutes.push((minute, 1)),
        }
    }

    /// How long calls that stop at `limit` have to pause.
    pub(super) fn silence(&mut self, now: Micros, limit: u32) -> Option<Micros> {
        self.forget(now);
        let answers: u32 = self.minutes.iter().map(|(_, answers)| answers).sum();
        let (oldest, _) = self.minutes.first()?;
        (answers >= limit).then(|| ((oldest + INVALID_MINUTES + 1) * MINUTE).saturating_sub(now))
    }

    /// In the last ten minutes.
    pub(super) fn total(&self, now: Micros) -> u32 {
        let counted = self.minutes.iter().filter(|(minute, _)| minute + INVALID_MINUTES >= now / MINUTE);
        counted.map(|(_, answers)| answers).sum()
    }

    fn forget(&mut self, now: Micros) {
        let minute = now / MINUTE;
        self.minutes.retain(|(counted, _)| counted + INVALID_MINUTES >= minute);
    }
}
