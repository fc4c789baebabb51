//! POST /guilds/:guildId/link-attempts/:attemptId/confirm

use entities::link_attempt::{self, State};

use crate::endpoints::guilds::link_attempts::bind::{EndedAttempt, Player, bind, made_at};
use crate::endpoints::guilds::link_attempts::own::{member, own_attempt};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("confirmLinkAttempt", "Link the proven game account")
        .about("The member agrees that this guild knows the account. Only for the member, in the pages of this service.")
        .data::<EndedAttempt>()
        .message("linked")
        .refuses(403, &["members_only"])
        .refuses(404, &["not_found"])
        .refuses(409, &["attempt_ended", "not_proven"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    member(&call)?;
    // The platform is asked before the transaction begins.
    let seen = link_attempt::find(call.read(), call.guild(), call.path("attemptId")?).await?;
    let made = match seen.and_then(|attempt| attempt.play_id) {
        Some(play) => made_at(&call, play).await?,
        None => None,
    };
    let mut work = UnitOfWork::begin(&call).await?;
    let attempt = own_attempt(&call, &work).await?;
    let proven = (attempt.state == State::Proven).then_some(()).and(attempt.play_id.zip(attempt.way));
    let Some((play, way)) = proven else {
        return Err(ApiError::conflict(
            "not_proven",
            "no game account is proven yet, or staff decide already",
        ));
    };
    let player = Player { id: play, name: attempt.play_username.clone().unwrap_or_default(), made };
    let ended = bind(&mut work, attempt, player, way, call.actor()).await?;
    work.commit(Reply::data(&ended)?.with_message("decided")).await
}
