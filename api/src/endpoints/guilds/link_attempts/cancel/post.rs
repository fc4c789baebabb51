//! POST /guilds/:guildId/link-attempts/:attemptId/cancel

use entities::link_attempt::{self, Outcome};

use crate::endpoints::guilds::link_attempts::own::own_attempt;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("cancelLinkAttempt", "End an attempt to link without a link")
        .about("Only for the member, in the pages of this service.")
        .message("attempt ended")
        .refuses(403, &["members_only"])
        .refuses(404, &["not_found"])
        .refuses(409, &["attempt_ended"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let mut attempt = own_attempt(&call, &work).await?;
    attempt.end(Outcome::Cancelled, work.now());
    link_attempt::save(work.tx(), &attempt).await?;
    work.audit("link_attempts.cancel", attempt.chat_id, json!({}));
    work.commit(Reply::message("attempt ended")).await
}
