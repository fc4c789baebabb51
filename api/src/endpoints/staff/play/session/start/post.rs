//! POST /staff/play/session/start

use entities::staff_session::{self, NewSession};
use entities::{PlaceId, PlayId, SessionId, staff_directory};
use runtime::Event;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::session::ended_session::EndedSession;
use crate::request::game_values::ServerId;

request! {
    pub(crate) struct SessionRequest {
        play_id: PlayId,
        place_id: PlaceId,
        server_id: ServerId,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StartedSession {
    session_id: SessionId,
    started_at: Seconds,
}

pub(crate) fn operation() -> Operation {
    Operation::new("startSession", "Start a staff session")
        .about("Ends the session they had open, at its last heartbeat.")
        .body::<SessionRequest>()
        .data::<StartedSession>()
        .refuses(404, &["not_found"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SessionRequest { play_id: play, place_id: place, server_id: ServerId(server) } = call.body()?;
    let guild = call.guild();
    let found = staff_directory::find_by_play(call.read(), guild, play).await?;
    let staff = found.or_not_found("staff member")?.chat_id;
    // The open session ends at its last heartbeat, which may not be written yet.
    call.state.write_session_heartbeats().await?;
    let new = NewSession { id: SessionId(uuid::Uuid::now_v7()), guild, staff, play, place, server };
    call.room_for(call.read(), Cap::StaffSessions, 1).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let started = staff_session::start(work.tx(), new, work.now()).await?.or_not_found("staff member")?;
    let session = started.session;
    let metadata = json!({
        "place_id": session.place_id, "server_id": session.server_id,
        "ended": started.ended.as_ref().map(EndedSession::from),
    });
    let actor = call.acting(staff);
    work.audit_as(actor, "sessions.start", session.session_id, metadata);
    if let Some(ended) = started.ended {
        work.announce([Event::SessionEnded { guild, session: ended.session_id }]);
    }
    let started_at = Seconds(session.started_second.at());
    work.commit(Reply::data(&StartedSession { session_id: session.session_id, started_at })?).await
}
