//! A member's own attempt.

use entities::link_attempt::{self, Model};
use entities::{AttemptId, ChatId};

use crate::endpoints::prelude::*;

/// The member who calls: what an attempt needs from them a key cannot do.
pub(crate) fn member(call: &Call) -> Result<ChatId, ApiError> {
    if call.caller.key().is_some() {
        return Err(ApiError::forbidden(
            "members_only",
            "only the member can do this, signed in as themselves",
        ));
    }
    Ok(call.caller.user())
}

/// The member's own attempt, locked until the transaction ends.
pub(crate) async fn own_attempt(call: &Call, work: &UnitOfWork<'_>) -> Result<Model, ApiError> {
    let (id, chat): (AttemptId, _) = (call.path("attemptId")?, member(call)?);
    let found = link_attempt::find_for_update(work.tx(), call.guild(), id).await?;
    let own = found.filter(|attempt| attempt.chat_id == chat).or_not_found("attempt to link")?;
    if own.is_live(work.now()) { Ok(own) } else { Err(ended()) }
}

pub(crate) fn ended() -> ApiError {
    ApiError::conflict("attempt_ended", "this attempt to link has ended: begin anew")
}
