//! `/guilds/:guildId/staff/loa` (docs/rules.md 6): leaves of absence.

mod change;
mod create;
mod expire;
mod list;
mod remove;

pub(crate) use change::change;
use chrono::{DateTime, Utc};
pub(crate) use create::create;
use entities::loa::{Model, Status, Written};
use entities::{ChatId, LoaId};
pub(crate) use expire::expire;
pub(crate) use list::list;
pub(crate) use remove::remove;
use serde::Serialize;

use crate::http::error::ApiError;
use crate::staff::not_staff;
use crate::time::Seconds;

#[derive(Serialize)]
pub(super) struct Loa {
    id: LoaId,
    staff_id: ChatId,
    starts_at: Seconds,
    ends_at: Seconds,
    reason: String,
    status: Status,
}

impl From<&Model> for Loa {
    fn from(row: &Model) -> Self {
        Self {
            id: row.loa_id,
            staff_id: row.staff_id,
            starts_at: Seconds(row.starts_at),
            ends_at: Seconds(row.ends_at),
            reason: row.reason.clone(),
            status: row.status,
        }
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("leave of absence")
}

fn check_span(starts_at: DateTime<Utc>, ends_at: DateTime<Utc>) -> Result<(), ApiError> {
    if ends_at > starts_at {
        return Ok(());
    }
    Err(ApiError::rule("ends_before_start", "`ends_at` must be after `starts_at`"))
}

/// The leave as it was written, or why it was not.
fn written(outcome: Written) -> Result<Model, ApiError> {
    match outcome {
        Written::Done(row) => Ok(row),
        Written::Overlaps(other) => {
            let message = format!("the active leave of absence {other} of the same staff member overlaps it");
            Err(ApiError::conflict("loa_overlaps", message))
        }
        Written::NotStaff => Err(not_staff()),
    }
}
