//! POST /staff/play/action

use entities::staff_action::{ActionType, NewAction};
use entities::staff_session::{self, Model};
use entities::{ActionId, SessionId, approval};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{audit_as, catch_up, session_ended, session_id, unknown_session};
use crate::call::Call;
use crate::fields::Object;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::play::Target;

/// Bytes of an action's details as JSON.
const DETAILS_MAX: usize = 16 * 1024;

#[derive(Serialize)]
struct Recorded {
    id: ActionId,
    /// A quota wants it approved before it counts.
    pending: bool,
}

pub(crate) async fn action(call: Call) -> Result<Reply, ApiError> {
    let session = session_id(&call)?;
    let action_type = call.fields.required::<ActionType>("action_type")?;
    let target = call.fields.required::<Target>("target_id")?.0;
    let details = details(&call)?;
    let staff = open_session(&call, session).await?.staff_id;
    let audited = json!({ "action_type": action_type, "target_id": target, "session_id": session });
    let new = NewAction { guild: call.guild(), staff, action_type, target, details, session: Some(session) };
    let transaction = call.begin().await?;
    let recorded = approval::record(&transaction, new, call.now()).await?;
    let id = recorded.action;
    audit_as(&call, &transaction, staff, ("actions.add", id.to_string()), audited).await?;
    let reply = Reply::data(&Recorded { id, pending: recorded.pending.is_some() })?;
    call.commit(transaction, reply).await
}

/// A silent session is over, sweep or no sweep.
async fn open_session(call: &Call, session: SessionId) -> Result<Model, ApiError> {
    let find = async || staff_session::find(call.read(), call.guild(), session).await;
    let found = find().await?.ok_or_else(unknown_session)?;
    if found.is_live(call.now()) {
        return Ok(found);
    }
    // A heartbeat may be on its way to the database.
    catch_up(call).await?;
    find().await?.filter(|session| session.is_live(call.now())).ok_or_else(session_ended)
}

fn details(call: &Call) -> Result<Value, ApiError> {
    let Object(details) = call.fields.optional("details")?.unwrap_or(Object(Map::new()));
    let details = Value::Object(details);
    let size = details.to_string().len();
    if size > DETAILS_MAX {
        let allowed = format!("an object of at most {DETAILS_MAX} bytes");
        return Err(ApiError::field("details", &format!("{size} bytes").into(), &allowed));
    }
    Ok(details)
}
