//! POST /staff/play/heartbeat
//!
//! Answered from memory while nothing changed, written in a batch within half a second. Heartbeats leave no audit
//! entries: they record no decision.

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::session_ref::{SessionRef, unknown_session};

request! {
    pub(crate) struct SessionHeartbeat {
        session_id: SessionRef,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SessionLiveness {
    /// False: the session has ended; start a new one.
    alive: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("sendSessionHeartbeat", "Heartbeat of a staff session")
        .about("Every 30 seconds; after 120 seconds without one the session ends.")
        .body::<SessionHeartbeat>()
        .data::<SessionLiveness>()
        .refuses(404, &["not_found"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SessionHeartbeat { session_id: SessionRef(session) } = call.body()?;
    let (session, now) = ((call.guild(), session), call.now());
    let alive = call.state.caches.sessions.heartbeat(&call.state.context, session, now).await?;
    let alive = alive.ok_or_else(unknown_session)?;
    if alive {
        call.state.heartbeats.note_session(session, now);
    }
    Reply::data(&SessionLiveness { alive })
}
