//! POST /staff/play/action

use entities::approval::{self, Recorded};
use entities::staff_action::{ActionType, NewAction};
use entities::staff_session::{self, Model};
use entities::{ActionId, SessionId};
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::session_ref::{SessionRef, session_ended, unknown_session};
use crate::request::game_values::Target;
use crate::request::values::SizedObject;

/// Bytes of an action's details as JSON.
const DETAILS_MAX: usize = 16 * 1024;

request! {
    pub(crate) struct StaffActionRequest {
        session_id: SessionRef,
        action_type: ActionType,
        target_id: Target,
        /// At most 16 KiB as JSON.
        #[example(json!({ "reason": "spawn camping" }))]
        details: Option<SizedObject<DETAILS_MAX>>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RecordedAction {
    id: ActionId,
    /// Whether it waits for the approval that a quota requires.
    #[schema(example = false)]
    pending: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("recordAction", "Record an action of a staff member")
        .body::<StaffActionRequest>()
        .data::<RecordedAction>()
        .refuses(404, &["not_found"])
        .refuses(409, &["session_ended"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let StaffActionRequest {
        session_id: SessionRef(session),
        action_type,
        target_id: Target(target),
        details,
    } = call.body()?;
    let details = Value::Object(details.unwrap_or_default().0);
    let staff = open_session(&call, session).await?.staff_id;
    let audited = json!({ "action_type": action_type, "target_id": target, "session_id": session });
    let (guild, session) = (call.guild(), Some(session));
    let new = NewAction { guild, staff, action_type, target, details, session, counts: true };
    call.room_for(call.read(), Cap::StaffActions, 1).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let recorded = approval::record(work.tx(), vec![new], work.now()).await?;
    let Some(&Recorded { action: id, pending }) = recorded.first() else {
        return Err(ApiError::internal("no action was recorded"));
    };
    work.audit_as(call.acting(staff), "actions.add", id, audited);
    work.commit(Reply::data(&RecordedAction { id, pending: pending.is_some() })?).await
}

/// A stale session has ended, whether or not the sweep has closed it.
async fn open_session(call: &Call, session: SessionId) -> Result<Model, ApiError> {
    let find = async || staff_session::find(call.read(), call.guild(), session).await;
    let found = find().await?.ok_or_else(unknown_session)?;
    if found.is_live(call.now()) {
        return Ok(found);
    }
    // Its latest heartbeat may not be written yet.
    call.state.write_session_heartbeats().await?;
    find().await?.filter(|session| session.is_live(call.now())).ok_or_else(session_ended)
}
