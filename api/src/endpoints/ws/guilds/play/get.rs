//! GET /ws/guilds/:guildId/play, with an upgrade to WebSocket (docs/rules.md 7)
//!
//! Every refusal comes before the upgrade, in the usual envelope.

use std::sync::Arc;

use entities::{PlaceId, UniverseId};
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::auth::admission;
use crate::cache::commands::{Command, OwnServer};
use crate::endpoints::prelude::*;
use crate::live::frames::Frame;
use crate::live::socket::{self, ReadPending, Session, TIMING};
use crate::live::sockets::{Ending, Place};
use crate::live::upgrade;
use crate::request::game_values::ServerId;

request! {
    pub(crate) struct LiveQuery {
        place_id as "placeId": PlaceId,
        server_id as "serverId": ServerId,
        universe_id as "universeId": UniverseId,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("openLiveChannel", "Live frames for a game server")
        .about(
            "A WebSocket. First the pending commands of the server, then frames `{\"type\": …, \"data\": {…}}` \
             as events occur: `moderation.ban`, `moderation.unban`, `moderation.mute`, `moderation.unmute` \
             (`identifier`, `reason`) and `command` (as a poll answers it). Closed with 1008 when the key is \
             revoked, with 1013 when the client reads too slowly.",
        )
        .query::<LiveQuery>()
        .upgrades()
}

pub(crate) async fn handle(mut call: Call) -> Result<Reply, ApiError> {
    let upgrading = call.upgrade.take().ok_or_else(ApiError::upgrade_required)?;
    let headers = upgrade::accept(&call.headers).ok_or_else(ApiError::upgrade_required)?;
    let LiveQuery { place_id, server_id, .. } = call.query()?;
    let place = Place { place: place_id, server: server_id.0 };
    // Subscribed before the reads: an earlier change is found by them, a later one arrives as an event.
    let key = call
        .caller
        .key()
        .ok_or_else(|| ApiError::forbidden("key_needed", "game servers open it with a key"))?;
    let (key, expires_at) = (key.public_id(), key.expires_at());
    let subscription = call.state.live.enter(call.guild(), &place, key, expires_at)?;
    admission::recheck(&call.state, key).await?;
    let server = (call.guild(), place.server);
    let pending = frames(&call.state.caches.commands.of(&call.state.context, &server, call.now()).await?)?;
    let shutdown = call.state.context.shutdown.clone();
    let stop = shutdown.soft().clone();
    let session = Session { subscription, read_pending: read_pending(&call, server), stop, timing: TIMING };
    // Counted as work in flight from here on, so that a shutdown waits for its close frame.
    let serve = async move {
        match upgrade::socket(upgrading).await {
            Ok(socket) => socket::run(socket, session, pending).await,
            Err(error) => tracing::debug!(%error, "a client left before its socket was open"),
        }
    };
    shutdown.tracker().spawn_on(serve.in_current_span(), &call.state.socket_threads.handle());
    Ok(Reply::upgrade(headers))
}

/// How the socket reads the pending commands again after events were lost.
fn read_pending(call: &Call, server: OwnServer) -> ReadPending {
    // The database's connections belong to the threads of requests.
    let (state, requests) = (call.state.clone(), Handle::current());
    Box::new(move || {
        let (state, server) = (state.clone(), server.clone());
        let read = async move {
            // After a resync each socket reads: a few at a time, so that requests find connections.
            let _turn = state.pending_reads.acquire().await;
            let read = state.caches.commands.of(&state.context, &server, state.context.clock.now()).await;
            let pending = read.map_err(|error| {
                tracing::warn!(%error, "cannot read the commands of a live socket");
                Ending::Failed
            })?;
            frames(&pending).map_err(|_| Ending::Failed)
        };
        let read = requests.spawn(read.in_current_span());
        Box::pin(async move { read.await.unwrap_or(Err(Ending::Failed)) })
    })
}

fn frames(pending: &[Command]) -> Result<Vec<Arc<Frame>>, serde_json::Error> {
    pending.iter().map(|command| Frame::command(command).map(Arc::new)).collect()
}
