//! Three refusals in a row indicate wrong permissions in the guild, not a problem of one member.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::PlatformError;

/// Tracks the responses of one bulk run in one guild. Concurrent tasks may share it.
#[derive(Debug, Default)]
pub struct ForbiddenBreaker(AtomicU32);

impl ForbiddenBreaker {
    /// Refusals in a row that stop a run.
    pub const STOPS_AT: u32 = 3;

    /// The number of further refusals in a row that stop the run.
    pub fn left(&self) -> u32 {
        Self::STOPS_AT.saturating_sub(self.0.load(Ordering::Relaxed))
    }

    /// Pass every result. `Err(Stopped)` from the third refusal in a row on: the run should end with that error.
    pub fn observe<T>(&self, result: &Result<T, PlatformError>) -> Result<(), PlatformError> {
        let refusals = match result {
            Ok(_) => {
                self.0.store(0, Ordering::Relaxed);
                0
            }
            Err(PlatformError::Forbidden { .. }) => self.0.fetch_add(1, Ordering::Relaxed) + 1,
            // Neither a refusal nor a success: no evidence about the guild's permissions.
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
    fn only_consecutive_refusals_stop_a_run() {
        let breaker = ForbiddenBreaker::default();
        let refused: Result<(), _> = Err(PlatformError::Forbidden { code: 50013, message: String::new() });
        let failed: Result<(), _> =
            Err(PlatformError::RateLimited { retry_after: std::time::Duration::ZERO });
        assert!(breaker.observe(&refused).is_ok());
        assert!(breaker.observe(&refused).is_ok());
        assert!(breaker.observe(&Ok(())).is_ok());
        assert!(breaker.observe(&refused).is_ok());
        assert!(breaker.observe(&refused).is_ok());
        assert!(breaker.observe(&failed).is_ok());
        assert!(matches!(breaker.observe(&refused), Err(PlatformError::Stopped { retry_after: None, .. })));
    }
}
