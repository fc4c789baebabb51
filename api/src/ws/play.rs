//! GET /ws/guilds/:guildId/play, with an upgrade to WebSocket (docs/rules.md 7)
//!
//! Whatever can be refused is refused before the upgrade, in the envelope every refusal has.

use entities::{PlaceId, UniverseId};
use warp::Reply as _;

use super::frames::Frame;
use super::socket::{self, Look, PACE, Session};
use super::{Ending, Place};
use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::query::Query;
use crate::http::reply::Reply;
use crate::play::{Command, OrStudio, OwnServer, ServerId, read_waiting};

/// Clients have nothing to say; what they send is read and dropped.
const MESSAGE_MAX: usize = 4 * 1024;

pub(crate) async fn play(mut call: Call) -> Result<Reply, ApiError> {
    let upgrade = call.upgrade.take().ok_or_else(ApiError::upgrade_required)?;
    let place = place(&call.query)?;
    // Entered before looking: what is queued from now on comes as news, what was before is found waiting.
    let server = (call.guild(), place.server.clone());
    let seat = call.app.live.enter(call.guild(), place, call.key.public_id().to_owned())?;
    let waiting = read_waiting(&call.app.context, &server, call.now()).await?;
    let waiting = frames(&waiting)?;
    // Counted as work in flight from here on, so that a stop waits for its farewell.
    let token = call.app.context.shutdown.tracker().token();
    let stop = call.app.context.shutdown.soft().clone();
    let session = Session { seat, look: look(&call, server), stop, pace: PACE };
    let serve = move |socket| async move {
        socket::run(socket, session, waiting).await;
        drop(token);
    };
    let answer = upgrade.max_message_size(MESSAGE_MAX).max_frame_size(MESSAGE_MAX).on_upgrade(serve);
    Ok(Reply::upgrade(answer.into_response().headers().clone()))
}

/// How the socket sees again what waits, when events were lost.
fn look(call: &Call, server: OwnServer) -> Look {
    let context = call.app.context.clone();
    Box::new(move || {
        let (context, server) = (context.clone(), server.clone());
        Box::pin(async move {
            let waiting = read_waiting(&context, &server, context.clock.now()).await.map_err(|error| {
                tracing::warn!(%error, "cannot read the commands of a live socket");
                Ending::Failed
            })?;
            frames(&waiting).map_err(|_| Ending::Failed)
        })
    })
}

fn frames(waiting: &[Command]) -> Result<Vec<Frame>, serde_json::Error> {
    waiting.iter().map(Frame::command).collect()
}

fn place(query: &Query) -> Result<Place, ApiError> {
    let place: OrStudio<PlaceId> = required(query, "placeId", &OrStudio::<PlaceId>::allowed())?;
    let server =
        query.given("serverId").ok_or_else(|| ApiError::missing("serverId", &ServerId::allowed()))?;
    let fits = server.parse().map_err(|()| ApiError::field("serverId", &server.into(), &ServerId::allowed()));
    let server: ServerId = fits?;
    required::<OrStudio<UniverseId>>(query, "universeId", &OrStudio::<UniverseId>::allowed())?;
    Ok(Place { place: place.0, server: server.0 })
}

fn required<T: std::str::FromStr>(query: &Query, name: &str, allowed: &str) -> Result<T, ApiError> {
    query.parsed(name, allowed)?.ok_or_else(|| ApiError::missing(name, allowed))
}
