//! POST /guilds/:guildId/link-attempts/:attemptId/confirm

use entities::link_attempt::State;
use entities::{PlayId, guild};

use crate::endpoints::guilds::link_attempts::bind::{EndedAttempt, Player, bind, made_at};
use crate::endpoints::guilds::link_attempts::own::{member, own_attempt};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct ConfirmRequest {
        /// The game account that the member was shown.
        play_id: PlayId,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("confirmLinkAttempt", "Link the proven game account")
        .about("The member agrees that this guild knows the account. Only for the member, in the pages of this service.")
        .body::<ConfirmRequest>()
        .data::<EndedAttempt>()
        .message("linked")
        .refuses(403, &["members_only"])
        .refuses(404, &["not_found", "unknown_player"])
        .refuses(409, &["attempt_ended", "not_proven"])
        .refuses(422, &["way_off", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    member(&call)?;
    let ConfirmRequest { play_id: play } = call.body()?;
    // The platform is asked before the transaction begins.
    let rules = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?;
    let made = made_at(&call, &rules, play).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let attempt = own_attempt(&call, &work).await?;
    let is_proven = attempt.state == State::Proven && attempt.play_id == Some(play);
    let Some(way) = attempt.way.filter(|_| is_proven) else {
        let text = "`play_id`: this game account is not what the attempt has proven; look at the page again";
        return Err(ApiError::conflict("not_proven", text));
    };
    let player = Player { id: play, name: attempt.play_username.clone().unwrap_or_default(), made };
    let ended = bind(&call, &mut work, attempt, player, way, call.actor()).await?;
    work.commit(Reply::data(&ended)?.with_message("decided")).await
}
