//! POST /play/servers/heartbeat
//!
//! The first heartbeat of a server is written at once, so that commands can be queued for it from then on; later ones
//! are written in batches. Heartbeats leave no audit entries: they record no decision.

use entities::game_server::{self, Filter, Heartbeat};
use entities::{Page, PlaceId, UniverseId};
use runtime::Event;

use crate::endpoints::prelude::*;
use crate::request::game_values::ServerId;
use crate::request::values::Whole;

const PLAYERS_MAX: i32 = 100_000;
/// Offline servers deleted at a time to get below the cap.
const FORGOTTEN: u64 = 100;

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
        at: call.now(),
    };
    let server = (heartbeat.guild, heartbeat.server.clone());
    let known = &call.state.caches.known_servers;
    if known.get(&server).is_some() {
        call.state.heartbeats.note_server(heartbeat);
    } else {
        // Boxed, because most heartbeats do not run it.
        Box::pin(make_known(&call, heartbeat)).await?;
        known.insert(server, ());
    }
    Reply::data(&ServerHeartbeatResult { ok: true })
}

async fn make_known(call: &Call, heartbeat: Heartbeat) -> Result<(), ApiError> {
    admit(call, &heartbeat.server).await?;
    game_server::heartbeat(call.state.context.database.write(), &[heartbeat]).await?;
    Ok(())
}

/// A new server must fit the guild's row cap; offline servers are deleted for it.
async fn admit(call: &Call, server: &str) -> Result<(), ApiError> {
    if game_server::find(call.read(), call.guild(), server).await?.is_some() {
        return Ok(());
    }
    let Err(refusal) = call.room_for(call.read(), Cap::GameServers, 1).await else { return Ok(()) };
    // Checked before the deletion, so that a refusal writes nothing.
    let offline = Filter { live: Some(false), place: None };
    if game_server::list(call.read(), call.guild(), offline, Page::first(1), call.now()).await?.is_empty() {
        return Err(refusal);
    }
    forget_offline(call).await
}

/// Their pending commands are deleted with them.
async fn forget_offline(call: &Call) -> Result<(), ApiError> {
    let mut work = UnitOfWork::begin(call).await?;
    let gone = game_server::forget_offline(work.tx(), call.guild(), work.now(), FORGOTTEN).await?;
    let guild = call.guild();
    work.announce(gone.into_iter().map(|server_id| Event::CommandAcknowledged { guild, server_id }));
    work.finish().await
}
