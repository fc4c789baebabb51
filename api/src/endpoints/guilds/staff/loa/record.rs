//! A leave of absence as the API shows it, and the rules for one (docs/rules.md 6).

use entities::loa::{Model, Status, Written};
use entities::{ChatId, LoaId, Timestamp};

use crate::endpoints::prelude::*;

answer! {
    /// When a staff member is away.
    pub(crate) struct Loa from row: Model, at now {
        pub(crate) id: LoaId = row.loa_id,
        staff_id: ChatId,
        starts_at: Seconds,
        ends_at: Seconds,
        #[schema(example = "exams")]
        reason: String,
        /// `expired` from its end on.
        status: Status = row.status_at(now),
    }
}

pub(crate) fn check_span(starts_at: Timestamp, ends_at: Timestamp) -> Result<(), ApiError> {
    if ends_at > starts_at {
        return Ok(());
    }
    Err(ApiError::rule("ends_before_start", "`ends_at` must be after `starts_at`"))
}

/// The written leave, or the error.
pub(crate) fn written(outcome: Written) -> Result<Model, ApiError> {
    match outcome {
        Written::Done(row) => Ok(row),
        Written::Overlaps(other) => {
            let message = format!("the active leave of absence {other} of the same staff member overlaps it");
            Err(ApiError::conflict("loa_overlaps", message))
        }
        Written::NotStaff => Err(ApiError::not_found("staff member")),
    }
}
