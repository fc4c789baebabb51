//! Staff decide about a held attempt.

use entities::AttemptId;
use entities::link_attempt::{self, Model, State};

use crate::endpoints::guilds::link_attempts::own::ended;
use crate::endpoints::prelude::*;

/// The held attempt of the path, locked until the transaction ends.
pub(crate) async fn held(call: &Call, work: &UnitOfWork<'_>) -> Result<Model, ApiError> {
    let id: AttemptId = call.path("attemptId")?;
    let found = link_attempt::find_for_update(work.tx(), call.guild(), id).await?;
    let attempt = found.or_not_found("attempt to link")?;
    call.caller.decides_about(attempt.chat_id)?;
    if attempt.state == State::Held && attempt.is_live(work.now()) { Ok(attempt) } else { Err(ended()) }
}
