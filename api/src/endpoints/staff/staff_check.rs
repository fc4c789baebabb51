//! Checks that a chat user is staff of the caller's guild.

use entities::{ChatId, staff_member};

use crate::endpoints::prelude::*;

/// Locks the member's row, so that the member stays staff until the transaction ends.
pub(crate) async fn require_staff(call: &Call, work: &UnitOfWork<'_>, staff: ChatId) -> Result<(), ApiError> {
    let member = staff_member::find_for_update(work.tx(), call.guild(), staff).await?;
    member.map(drop).or_not_found("staff member")
}
