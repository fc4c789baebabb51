//! POST /chat/interactions: what people do on the chat platform, as it sends it by HTTP. There is no key: the platform signs
//! each call, and sends wrong signatures on purpose.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use chat_commands::{ChatCommands, INTERACTIONS_PATH as PATH, Interaction};
use http::{HeaderMap, HeaderValue, Response, header};

use crate::request::bodies::{BodyStream, stranger};
use crate::response::error::ApiError;
use crate::response::payload::Payload;
use crate::server::request_log::RequestLog;
use crate::state::State;

const SIGNATURE: &str = "x-signature-ed25519";
const TIMESTAMP: &str = "x-signature-timestamp";
/// Bytes; the largest have some 20 KiB.
const BODY_LIMIT: usize = 256 * 1024;

/// The answer has the platform's form; refusals have the envelope.
pub(crate) async fn serve(
    state: &State,
    chat: &Arc<ChatCommands>,
    (headers, body, from): (Arc<HeaderMap>, BodyStream, IpAddr),
    log: &mut RequestLog,
) -> Response<Payload> {
    log.route = PATH;
    match answer(state, chat, (&headers, body, from), log).await {
        Ok(body) => {
            let mut response = Response::new(Payload::Own(body));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            log.finish_bare(response)
        }
        Err(error) => log.finish(Err(error)),
    }
}

async fn answer(
    state: &State,
    chat: &Arc<ChatCommands>,
    (headers, body, from): (&HeaderMap, BodyStream, IpAddr),
    log: &RequestLog,
) -> Result<Bytes, ApiError> {
    let key = state.platforms.interaction_key.as_ref().ok_or_else(|| {
        let text = "commands of the chat platform are not taken here: GUILDHALL_CHAT_PUBLIC_KEY is not set";
        ApiError::unavailable("not_configured", text)
    })?;
    let (Some(signature), Some(timestamp)) = (text(headers, SIGNATURE), text(headers, TIMESTAMP)) else {
        return Err(bad_signature());
    };
    let body = state.bodies.read(body, headers, BODY_LIMIT, stranger(from)).await?;
    if !key.verifies(signature, timestamp, &body, state.context.clock.now()) {
        return Err(bad_signature());
    }
    let interaction =
        Interaction::read(&body).map_err(|error| ApiError::body("invalid_interaction", error.to_string()))?;
    if !chat.takes(&interaction).await {
        return Err(ApiError::key("replayed", "this interaction was answered before"));
    }
    Ok(Bytes::from(chat.answer(interaction, log.request_id.clone()).await.to_string()))
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn bad_signature() -> ApiError {
    ApiError::key("bad_signature", "the signature of the chat platform is missing, wrong or too old")
}
