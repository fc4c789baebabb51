//! POST /play/games/register

use entities::registered_game::{self, Model};
use entities::{PlaceId, UniverseId};
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::fields::Text;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Characters of a game's name.
const NAME_MAX: usize = 200;

#[derive(Serialize)]
struct Registered {
    /// Of the universe, so it is true for a repeated call too: every server of a game may register it at its start.
    registered: bool,
    /// By an earlier call, whose place and name stay.
    already_registered: bool,
}

pub(crate) async fn register(call: Call) -> Result<Reply, ApiError> {
    let game = Model {
        guild_id: call.guild(),
        universe_id: call.fields.required::<UniverseId>("universe_id")?,
        place_id: call.fields.required::<PlaceId>("place_id")?,
        name: call.fields.required::<Text<NAME_MAX>>("name")?.0,
        registered_at: call.now(),
    };
    let (universe, after) = (game.universe_id, json!({ "place_id": game.place_id, "name": game.name }));
    if registered_game::find(call.read(), call.guild(), universe).await?.is_some() {
        return already();
    }
    let transaction = call.begin().await?;
    if !registered_game::register(&transaction, game).await? {
        return already();
    }
    call.audit(&transaction, "games.register", universe, json!({ "after": after })).await?;
    let reply = Reply::data(&Registered { registered: true, already_registered: false })?;
    call.commit(transaction, reply.with_message("game registered")).await
}

fn already() -> Result<Reply, ApiError> {
    let reply = Reply::data(&Registered { registered: true, already_registered: true })?;
    Ok(reply.with_message("this universe is registered already"))
}
