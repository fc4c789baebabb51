//! POST /play/webhooks: what the game platform announces. There is no key: the platform signs each call. A request to erase
//! a user becomes a job; other announcements are taken and change nothing, so that the platform does not repeat them.

use std::net::IpAddr;
use std::sync::Arc;

use entities::PlayId;
use http::{HeaderMap, Response};
use jobs::kinds::EraseAccount;
use queue::Draft;
use runtime::UnitOfWork;
use serde::Deserialize;
use serde_json::json;

use crate::request::bodies::{BodyStream, stranger};
use crate::response::error::ApiError;
use crate::response::payload::Payload;
use crate::response::reply::Reply;
use crate::server::request_log::RequestLog;
use crate::state::State;

pub(crate) const PATH: &str = "/play/webhooks";
const SIGNATURE: &str = "roblox-signature";
/// Bytes; the largest name some games.
const BODY_LIMIT: usize = 64 * 1024;
const ERASURE: &str = "RightToErasureRequest";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Announcement {
    event_type: String,
    #[serde(default)]
    event_payload: Payloads,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct Payloads {
    user_id: Option<PlayId>,
}

pub(crate) async fn serve(
    state: &State,
    (headers, body, from): (Arc<HeaderMap>, BodyStream, IpAddr),
    log: &mut RequestLog,
) -> Response<Payload> {
    log.route = PATH;
    let outcome = take(state, (&headers, body, from)).await;
    log.finish(outcome)
}

async fn take(
    state: &State,
    (headers, body, from): (&HeaderMap, BodyStream, IpAddr),
) -> Result<Reply, ApiError> {
    let secret = state.platforms.webhook_secret.as_ref().ok_or_else(|| {
        let text = "webhooks of the game platform are off: GUILDHALL_PLAY_WEBHOOK_SECRET is not set";
        ApiError::unavailable("not_configured", text)
    })?;
    let bad =
        || ApiError::key("bad_signature", "the signature of the game platform is missing, wrong or too old");
    let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).ok_or_else(bad)?;
    let body = state.bodies.read(body, headers, BODY_LIMIT, stranger(from)).await?;
    if !secret.verifies(signature, &body, state.context.clock.now()) {
        return Err(bad());
    }
    let announced: Announcement = serde_json::from_slice(&body)
        .map_err(|error| ApiError::body("invalid_request", format!("body: {error}")))?;
    if announced.event_type == ERASURE {
        let wrong =
            || ApiError::body("invalid_request", "EventPayload.UserId must be a user of the game platform");
        enqueue(state, announced.event_payload.user_id.ok_or_else(wrong)?).await?;
    }
    Reply::data(&json!({}))
}

/// Once, however often the platform announces it.
async fn enqueue(state: &State, play: PlayId) -> Result<(), ApiError> {
    let draft = Draft::without_guild(&EraseAccount { play })?.once(&play.to_string());
    let mut work = UnitOfWork::begin(&state.context).await?;
    draft.enqueue(&mut work).await?;
    state.queue.publish(work.commit().await?);
    Ok(())
}
