//! POST /guilds/:guildId/link-attempts/:attemptId/approve

use entities::account::Way;
use entities::link_attempt;

use crate::endpoints::guilds::link_attempts::bind::{Player, admit};
use crate::endpoints::guilds::link_attempts::decide::held;
use crate::endpoints::guilds::link_attempts::messages;
use crate::endpoints::guilds::link_attempts::record::LinkAttempt;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("approveLinkAttempt", "Link a member whose attempt is held")
        .data::<LinkAttempt>()
        .message("linked")
        .refuses(404, &["not_found"])
        .refuses(409, &["attempt_ended"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let mut attempt = held(&call, &work).await?;
    let (Some(id), way) = (attempt.play_id, attempt.way.unwrap_or(Way::Code)) else {
        return Err(ApiError::internal("a held attempt without a game account"));
    };
    let player = Player { id, name: attempt.play_username.clone().unwrap_or_default(), made: None };
    attempt.decided_by = Some(call.caller.user());
    admit(&call, &mut work, &mut attempt, player, way, call.actor()).await?;
    link_attempt::save(work.tx(), &attempt).await?;
    work.audit("link_attempts.approve", attempt.chat_id, json!({ "play_id": id }));
    messages::decided(&mut work, &attempt, call.actor()).await?;
    work.commit(Reply::data(&LinkAttempt::from(&attempt))?.with_message("linked")).await
}
