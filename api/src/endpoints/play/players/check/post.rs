//! POST /play/players/check: for the moment in which players join. Reads only.

use entities::{PlaceId, PlayId};

use crate::auth::server::HEADER;
use crate::endpoints::play::players::entry::{self, PlayerEntry};
use crate::endpoints::prelude::*;
use crate::request::values::{Batch, List, OrTest};

request! {
    pub(crate) struct PlayersCheck {
        play_ids: Batch<OrTest<PlayId>>,
        /// Only bans and mutes of this place and of all games; absent: all.
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct CheckedPlayers {
    players: Vec<PlayerEntry>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("checkPlayers", "Check players who join")
        .about(
            "Up to 200: ban, mute, Shield flag, staff. Afterwards the tick tells what changes. In the order of the request, \
             without duplicates; test players of the studio are left out. With `X-Server-Id` a tick of that server that is held \
             is answered, because it does not know them.",
        )
        .body::<PlayersCheck>()
        .data::<CheckedPlayers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let PlayersCheck { play_ids: List(sent), place_id: place } = call.body()?;
    if let Some(server) = call.headers.get(HEADER).and_then(|sent| sent.to_str().ok()) {
        call.state.held.end(call.guild(), server);
    }
    let players = entry::players(sent);
    let (players, stale) = entry::of(&call, &players, players.len(), place).await?;
    Ok(Reply::data(&CheckedPlayers { players })?.stale_if(stale))
}
