//! `/guilds/:guildId/staff/strikes` (docs/rules.md 6): active until removed or expired; wiping alone deletes the record.

mod change;
mod create;
mod expire;
mod list;
mod remove;
mod wipe;

pub(crate) use change::change;
pub(crate) use create::create;
use entities::strike::{Ended, Model};
use entities::{ChatId, StrikeId, Timestamp};
pub(crate) use expire::expire;
pub(crate) use list::list;
pub(crate) use remove::remove;
use serde::Serialize;
pub(crate) use wipe::wipe;

use crate::fields::Whole;
use crate::http::error::ApiError;
use crate::time::Seconds;

type Severity = Whole<1, 10>;

#[derive(Serialize)]
struct Strike {
    id: StrikeId,
    staff_id: ChatId,
    reason: String,
    severity: i32,
    expires_at: Seconds,
    active: bool,
    /// Who gave it.
    issued_by: ChatId,
    created_at: Seconds,
    /// `removed` or `expired`; null while it is active, and from its expiry until the sweep has seen it.
    ended_how: Option<Ended>,
}

impl Strike {
    fn new(row: &Model, now: Timestamp) -> Self {
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

/// A strike is never given for a time that is over (docs/rules.md 6).
fn check_expiry(expires_at: Timestamp, now: Timestamp) -> Result<(), ApiError> {
    if expires_at > now {
        return Ok(());
    }
    Err(ApiError::rule("expires_in_the_past", "`expires_at` must be after now"))
}

fn unknown() -> ApiError {
    ApiError::not_found("strike")
}
