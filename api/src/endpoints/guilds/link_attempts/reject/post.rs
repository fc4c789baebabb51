//! POST /guilds/:guildId/link-attempts/:attemptId/reject

use entities::link_attempt::{self, Outcome};

use crate::endpoints::guilds::link_attempts::decide::held;
use crate::endpoints::guilds::link_attempts::messages;
use crate::endpoints::guilds::link_attempts::record::LinkAttempt;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("rejectLinkAttempt", "End an attempt that is held")
        .data::<LinkAttempt>()
        .message("rejected")
        .refuses(404, &["not_found"])
        .refuses(409, &["attempt_ended"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let mut attempt = held(&call, &work).await?;
    attempt.decided_by = Some(call.caller.user());
    attempt.end(Outcome::Rejected, work.now());
    link_attempt::save(work.tx(), &attempt).await?;
    work.audit("link_attempts.reject", attempt.chat_id, json!({ "play_id": attempt.play_id }));
    messages::decided(&mut work, &attempt, call.actor()).await?;
    work.commit(Reply::data(&LinkAttempt::from(&attempt))?.with_message("rejected")).await
}
