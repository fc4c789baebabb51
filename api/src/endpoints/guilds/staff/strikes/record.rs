//! A strike as the API shows it, and the rules for one (docs/rules.md 6).

use entities::strike::{Ended, Model};
use entities::{ChatId, StrikeId, Timestamp};

use crate::endpoints::prelude::*;
use crate::request::values::Whole;

pub(crate) type Severity = Whole<1, 10>;

answer! {
    pub(crate) struct Strike from row: Model, at now {
        pub(crate) id: StrikeId = row.strike_id,
        staff_id: ChatId,
        #[schema(example = "abuse of commands")]
        reason: String,
        #[schema(minimum = 1, maximum = 10, example = 3)]
        severity: i32,
        expires_at: Seconds,
        /// Neither removed nor expired.
        active: bool = row.is_active(now),
        /// The owner of the key that gave the strike.
        issued_by: ChatId,
        created_at: Seconds,
        /// Null while the strike is active, and from its expiry until the next sweep.
        #[schema(required)]
        ended_how: Option<Ended>,
    }
}

/// A strike must expire in the future (docs/rules.md 6).
pub(crate) fn check_expiry(expires_at: Timestamp, now: Timestamp) -> Result<(), ApiError> {
    if expires_at > now {
        return Ok(());
    }
    Err(ApiError::rule("expires_in_the_past", "`expires_at` must be after now"))
}
