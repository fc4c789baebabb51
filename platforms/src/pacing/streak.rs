//! Three refusals in a row: something is wrong with the guild's permissions, not with one member.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::PlatformError;

/// Watches the answers of one bulk run in one guild. May be shared by tasks that run at once.
#[derive(Debug, Default)]
pub struct ForbiddenStreak(AtomicU32);

impl ForbiddenStreak {
    /// Refusals in a row that stop a run.
    pub const STOPS_AT: u32 = 3;

    pub fn new() -> Self {
        Self::default()
    }

    /// How many more refusals in a row it takes.
    pub fn left(&self) -> u32 {
        Self::STOPS_AT.saturating_sub(self.0.load(Ordering::Relaxed))
    }

    /// Hand in every result. `Err(Stopped)` from the third refusal in a row on: the run should end with that error.
    pub fn observe<T>(&self, result: &Result<T, PlatformError>) -> Result<(), PlatformError> {
        let refusals = match result {
            Ok(_) => {
                self.0.store(0, Ordering::Relaxed);
                0
            }
            Err(PlatformError::Forbidden { .. }) => self.0.fetch_add(1, Ordering::Relaxed) + 1,
            // Neither a refusal nor a success: it says nothing about the guild's permissions.
            Err(_) => self.0.load(Ordering::Relaxed),
        };
        if refusals < Self::STOPS_AT {
            return Ok(());
        }
        let reason = "the chat platform refused three changes in a row: give the bot the permission to manage roles and \
                      nicknames, and move its role above the roles it grants";
        Err(PlatformError::Stopped { reason: reason.to_owned(), retry_after: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_in_a_row_stop() {
        let streak = ForbiddenStreak::new();
        let refused: Result<(), _> = Err(PlatformError::Forbidden { code: 50013, message: String::new() });
        let failed: Result<(), _> =
            Err(PlatformError::RateLimited { retry_after: std::time::Duration::ZERO });
        assert!(streak.observe(&refused).is_ok());
        assert!(streak.observe(&refused).is_ok());
        assert!(streak.observe(&Ok(())).is_ok());
        assert!(streak.observe(&refused).is_ok());
        assert!(streak.observe(&refused).is_ok());
        assert!(streak.observe(&failed).is_ok());
        assert!(matches!(streak.observe(&refused), Err(PlatformError::Stopped { retry_after: None, .. })));
    }
}
