//! POST /staff/play/session/end

use entities::staff_session;
use runtime::Event;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::session::ended_session::EndedSession;
use crate::endpoints::staff::play::session_ref::{SessionRef, session_ended, unknown_session};

request! {
    pub(crate) struct SessionEnd {
        session_id: SessionRef,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("endSession", "A staff member left")
        .body::<SessionEnd>()
        .data::<EndedSession>()
        .refuses(404, &["not_found"])
        .refuses(409, &["session_ended"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SessionEnd { session_id: SessionRef(session) } = call.body()?;
    let guild = call.guild();
    // The session ends at its last heartbeat, which may not be written yet.
    call.state.write_session_heartbeats().await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let Some(ended) = staff_session::end(work.tx(), guild, session, work.now()).await? else {
        let known = staff_session::find(work.tx(), guild, session).await?;
        return Err(if known.is_some() { session_ended() } else { unknown_session() });
    };
    let shown = EndedSession::from(&ended);
    let actor = call.acting(ended.staff_id);
    work.audit_as(actor, "sessions.end", session, json!(shown));
    work.announce([Event::SessionEnded { guild, session }]);
    work.commit(Reply::data(&shown)?).await
}
