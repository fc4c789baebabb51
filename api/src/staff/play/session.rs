//! POST /staff/play/session/start and /end

use entities::staff_session::{self, Model, NewSession};
use entities::{PlaceId, PlayId, SessionId, staff_directory};
use runtime::Event;
use serde::Serialize;
use serde_json::json;

use super::{audit_as, catch_up, session_ended, session_id, unknown_session};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::play::{OrStudio, ServerId};
use crate::time::Seconds;

#[derive(Serialize)]
struct Started {
    session_id: SessionId,
    started_at: Seconds,
}

pub(crate) async fn start(call: Call) -> Result<Reply, ApiError> {
    let play = call.fields.required::<PlayId>("play_id")?;
    let place = call.fields.required::<OrStudio<PlaceId>>("place_id")?.0;
    let server = call.fields.required::<ServerId>("server_id")?.0;
    let not_staff = || ApiError::not_found("staff member");
    let found = staff_directory::find_by_play(call.read(), call.guild(), play, call.now()).await?;
    let staff = found.ok_or_else(not_staff)?.chat_id;
    // The open session ends at its last heartbeat, which may not be written yet.
    catch_up(&call).await?;
    let new =
        NewSession { id: SessionId(uuid::Uuid::now_v7()), guild: call.guild(), staff, play, place, server };
    let transaction = call.begin().await?;
    let started = staff_session::start(&transaction, new, call.now()).await?.ok_or_else(not_staff)?;
    let session = started.session;
    let metadata = json!({
        "place_id": session.place_id, "server_id": session.server_id,
        "ended": started.ended.as_ref().map(ended_as_json),
    });
    audit_as(&call, &transaction, staff, ("sessions.start", session.session_id.to_string()), metadata)
        .await?;
    let started_at = Seconds(session.started_second.at());
    let reply = Reply::data(&Started { session_id: session.session_id, started_at })?;
    let reply = call.commit(transaction, reply).await?;
    if let Some(ended) = started.ended {
        announce_end(&call, ended.session_id).await;
    }
    Ok(reply)
}

#[derive(Serialize)]
struct Ended {
    session_id: SessionId,
    duration_seconds: i64,
}

pub(crate) async fn end(call: Call) -> Result<Reply, ApiError> {
    let session = session_id(&call)?;
    catch_up(&call).await?;
    let transaction = call.begin().await?;
    let Some(ended) = staff_session::end(&transaction, call.guild(), session, call.now()).await? else {
        let known = staff_session::find(&transaction, call.guild(), session).await?;
        return Err(if known.is_some() { session_ended() } else { unknown_session() });
    };
    let target = ("sessions.end", session.to_string());
    audit_as(&call, &transaction, ended.staff_id, target, ended_as_json(&ended)).await?;
    let duration_seconds = ended.duration_seconds();
    let reply = Reply::data(&Ended { session_id: session, duration_seconds })?;
    let reply = call.commit(transaction, reply).await?;
    announce_end(&call, session).await;
    Ok(reply)
}

fn ended_as_json(ended: &Model) -> serde_json::Value {
    json!({ "session_id": ended.session_id, "duration_seconds": ended.duration_seconds() })
}

/// The next heartbeat must hear that it is over, here at once and elsewhere soon.
async fn announce_end(call: &Call, session: SessionId) {
    let guild = call.guild();
    call.app.sessions.forget((guild, session)).await;
    call.app.context.events.publish(Event::SessionEnded { guild, session });
}
