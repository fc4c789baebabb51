//! A strike as the API shows it, and the rules for one (docs/rules.md 6).

use entities::strike::{Ended, Model};
use entities::{ChatId, StrikeId, Timestamp};

use crate::endpoints::prelude::*;
use crate::request::values::Whole;

pub(crate) type Severity = Whole<1, 10>;

#[derive(Serialize, ToSchema)]
pub(crate) struct Strike {
    id: StrikeId,
    staff_id: ChatId,
    #[schema(example = "abuse of commands")]
    reason: String,
    #[schema(minimum = 1, maximum = 10, example = 3)]
    severity: i32,
    expires_at: Seconds,
    /// Neither removed nor expired.
    active: bool,
    /// The owner of the key that gave the strike.
    issued_by: ChatId,
    created_at: Seconds,
    /// Null while the strike is active, and from its expiry until the next sweep.
    #[schema(required)]
    ended_how: Option<Ended>,
}

impl Strike {
    pub(crate) fn id(&self) -> StrikeId {
        self.id
    }

    pub(crate) fn new(row: &Model, now: Timestamp) -> Self {
        Self {
            id: row.strike_id,
            staff_id: row.staff_id,
            reason: row.reason.clone(),
            severity: row.severity,
            expires_at: Seconds(row.expires_at),
            active: row.is_active(now),
            issued_by: row.issued_by,
            created_at: Seconds(row.created_at),
            ended_how: row.ended_how,
        }
    }
}

/// A strike must expire in the future (docs/rules.md 6).
pub(crate) fn check_expiry(expires_at: Timestamp, now: Timestamp) -> Result<(), ApiError> {
    if expires_at > now {
        return Ok(());
    }
    Err(ApiError::rule("expires_in_the_past", "`expires_at` must be after now"))
}

pub(crate) fn unknown_strike() -> ApiError {
    ApiError::not_found("strike")
}
