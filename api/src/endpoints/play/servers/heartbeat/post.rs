//! POST /play/servers/heartbeat
//!
//! The first heartbeat of a server is written at once, so that commands can be queued for it from then on; later ones
//! are written in batches. Heartbeats leave no audit entries: they record no decision.

use entities::game_server::Heartbeat;
use entities::{PlaceId, UniverseId};

use crate::endpoints::play::servers::presence::{self, PLAYERS_MAX};
use crate::endpoints::prelude::*;
use crate::request::game_values::ServerId;
use crate::request::values::Whole;

request! {
    pub(crate) struct ServerHeartbeat {
        server_id: ServerId,
        place_id: PlaceId,
        universe_id: UniverseId,
        #[example(12)]
        player_count: Whole<0, PLAYERS_MAX>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ServerHeartbeatResult {
    ok: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("sendServerHeartbeat", "Heartbeat of a game server")
        .about("The first one registers the server; after 90 seconds without one the server is offline.")
        .body::<ServerHeartbeat>()
        .data::<ServerHeartbeatResult>()
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let sent: ServerHeartbeat = call.body()?;
    let heartbeat = Heartbeat {
        guild: call.guild(),
        server: sent.server_id.0,
        place: sent.place_id,
        universe: sent.universe_id,
        player_count: sent.player_count.0,
        players: None,
        at: call.now(),
    };
    presence::hear(&call, heartbeat).await?;
    Reply::data(&ServerHeartbeatResult { ok: true })
}
