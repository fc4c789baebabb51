//! POST /staff/play/heartbeat
//!
//! Answered from memory while nothing changed, written with others within half a second. Heartbeats leave no audit
//! entries: they are signs of life, not changes by anybody.

use serde::Serialize;

use super::{session_id, unknown_session};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Heard {
    alive: bool,
}

pub(crate) async fn heartbeat(call: Call) -> Result<Reply, ApiError> {
    let session = (call.guild(), session_id(&call)?);
    let now = call.now();
    let alive = call.app.sessions.heartbeat(&call.app.context, session, now).await?;
    let alive = alive.ok_or_else(unknown_session)?;
    if alive {
        call.app.heartbeats.note_session(session, now);
    }
    Reply::data(&Heard { alive })
}
