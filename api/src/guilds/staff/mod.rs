//! `/guilds/:guildId/staff/...` (docs/rules.md 6): profiles, leave, strikes, notes, quotas; and beyond the
//! interface, staff roles and members.
//!
//! Lists that the interface does not page are whole, unless the query asks for a page with `limit` or `cursor`.

pub(crate) mod loa;
pub(crate) mod members;
pub(crate) mod notes;
mod profile;
pub(crate) mod quota;
pub(crate) mod quota_pending;
pub(crate) mod roles;
pub(crate) mod strikes;

pub(crate) use profile::profile;
use sea_orm::DatabaseTransaction;
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::staff::not_staff;

/// What ids that the database assigns look like.
const ID: &str = "a positive integer that fits 63 bits";

/// What a creation answers.
#[derive(Serialize)]
struct Added<I> {
    id: I,
}

/// 400 to a PATCH without any field it knows.
fn nothing_given(fields: &str) -> ApiError {
    ApiError::body("missing_field", format!("nothing to change: give at least one of {fields}"))
}

/// Sees to it that somebody is staff until the transaction ends.
async fn require_staff(
    call: &Call,
    transaction: &DatabaseTransaction,
    staff: entities::ChatId,
) -> Result<(), ApiError> {
    let member = entities::staff_member::find_for_update(transaction, call.guild(), staff).await?;
    member.map(drop).ok_or_else(not_staff)
}
