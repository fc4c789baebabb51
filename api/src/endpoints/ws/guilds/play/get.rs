//! GET /ws/guilds/:guildId/play, with an upgrade to WebSocket (docs/rules.md 7)
//!
//! Every refusal comes before the upgrade, in the usual envelope.

use entities::{PlaceId, UniverseId};
use warp::Reply as _;

use crate::cache::commands::{self, Command, OwnServer};
use crate::endpoints::prelude::*;
use crate::live::frames::Frame;
use crate::live::socket::{self, PACE, ReadPending, Session};
use crate::live::sockets::{Ending, Place};
use crate::request::game_values::{OrStudio, ServerId};

/// Bytes of a client's message. Messages of clients are read and dropped.
const MESSAGE_MAX: usize = 4 * 1024;

request! {
    pub(crate) struct LiveQuery {
        place_id as "placeId": OrStudio<PlaceId>,
        server_id as "serverId": ServerId,
        universe_id as "universeId": OrStudio<UniverseId>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("openLiveChannel", "Live frames for a game server")
        .about(
            "A WebSocket. First the pending commands of the server, then frames `{\"type\": …, \"data\": {…}}` as \
             things happen: `moderation.ban`, `moderation.unban`, `moderation.mute`, `moderation.unmute` \
             (`identifier`, `reason`) and `command` (as a poll answers it). Closed with 1008 when the key is revoked, \
             with 1013 when the client reads too slowly.",
        )
        .query::<LiveQuery>()
        .upgrades()
}

pub(crate) async fn handle(mut call: Call) -> Result<Reply, ApiError> {
    let upgrade = call.upgrade.take().ok_or_else(ApiError::upgrade_required)?;
    let LiveQuery { place_id, server_id, .. } = call.query()?;
    let place = Place { place: place_id.0, server: server_id.0 };
    let server = (call.guild(), place.server.clone());
    // Subscribed before the read: an earlier command is found by the read, a later one arrives as an event.
    let subscription = call.state.live.enter(call.guild(), place, call.key.public_id().to_owned())?;
    let pending = commands::read(&call.state.context, &server, call.now()).await?;
    let pending = frames(&pending)?;
    // Counted as work in flight from here on, so that a shutdown waits for its close frame.
    let token = call.state.context.shutdown.tracker().token();
    let stop = call.state.context.shutdown.soft().clone();
    let session = Session { subscription, read_pending: read_pending(&call, server), stop, pace: PACE };
    let serve = move |socket| async move {
        socket::run(socket, session, pending).await;
        drop(token);
    };
    let answer = upgrade.max_message_size(MESSAGE_MAX).max_frame_size(MESSAGE_MAX).on_upgrade(serve);
    Ok(Reply::upgrade(answer.into_response().headers().clone()))
}

/// How the socket reads the pending commands again after events were lost.
fn read_pending(call: &Call, server: OwnServer) -> ReadPending {
    let context = call.state.context.clone();
    Box::new(move || {
        let (context, server) = (context.clone(), server.clone());
        Box::pin(async move {
            let read = commands::read(&context, &server, context.clock.now()).await;
            let pending = read.map_err(|error| {
                tracing::warn!(%error, "cannot read the commands of a live socket");
                Ending::Failed
            })?;
            frames(&pending).map_err(|_| Ending::Failed)
        })
    })
}

fn frames(pending: &[Command]) -> Result<Vec<Frame>, serde_json::Error> {
    pending.iter().map(Frame::command).collect()
}
