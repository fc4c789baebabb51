//! POST /play/games/register

use entities::registered_game::{self, Model};
use entities::{PlaceId, UniverseId};

use crate::endpoints::prelude::*;

request! {
    pub(crate) struct GameRequest {
        universe_id: UniverseId,
        place_id: PlaceId,
        #[example("Brick City")]
        name: Text<200>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct GameRegistration {
    /// Whether the universe is registered, by this call or an earlier one.
    registered: bool,
    /// Whether an earlier call registered it; its place and name stay.
    #[schema(example = false)]
    already_registered: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("registerGame", "Register a game")
        .about("Once per universe; a repeat changes nothing, so every server of a game may send it at its start.")
        .body::<GameRequest>()
        .data::<GameRegistration>()
        .message("game registered")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let GameRequest { universe_id, place_id, name: Text(name) } = call.body()?;
    let after = json!({ "place_id": place_id, "name": name });
    if registered_game::find(call.read(), call.guild(), universe_id).await?.is_some() {
        return already_registered();
    }
    call.room_for(call.read(), Cap::Games, 1).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let game = Model { guild_id: call.guild(), universe_id, place_id, name, registered_at: work.now() };
    if !registered_game::register(work.tx(), game).await? {
        return already_registered();
    }
    work.audit("games.register", universe_id, json!({ "after": after }));
    let reply = Reply::data(&GameRegistration { registered: true, already_registered: false })?;
    work.commit(reply.with_message("game registered")).await
}

fn already_registered() -> Result<Reply, ApiError> {
    let reply = Reply::data(&GameRegistration { registered: true, already_registered: true })?;
    Ok(reply.with_message("this universe is registered already"))
}
