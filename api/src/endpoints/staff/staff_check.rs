//! Checks that a chat user is staff of the caller's guild.

use entities::{ChatId, staff_member};

use crate::endpoints::prelude::*;

/// 404: not staff of this guild.
pub(crate) fn not_staff() -> ApiError {
    ApiError::not_found("staff member")
}

/// Locks the member's row, so that the member stays staff until the transaction ends.
pub(crate) async fn require_staff(call: &Call, work: &UnitOfWork<'_>, staff: ChatId) -> Result<(), ApiError> {
    let member = staff_member::find_for_update(work.tx(), call.guild(), staff).await?;
    member.map(drop).ok_or_else(not_staff)
}
