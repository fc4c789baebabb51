//! `/staff/play/...` (docs/rules.md 6): what game servers ask and tell about staff members in the game.

mod action;
mod heartbeat;
mod session;
mod verify;

pub(crate) use action::action;
use entities::{ChatId, SessionId};
pub(crate) use heartbeat::heartbeat;
use sea_orm::DatabaseTransaction;
use serde_json::Value;
pub(crate) use session::{end, start};
pub(crate) use verify::{Standing, verify};

use crate::call::Call;
use crate::fields::Text;
use crate::http::error::ApiError;

/// Characters of a session id that are looked at.
const ID_MAX: usize = 100;

/// The session a body names. A text that cannot be one of ours is an unknown session.
fn session_id(call: &Call) -> Result<SessionId, ApiError> {
    let Text(text) = call.fields.required::<Text<ID_MAX>>("session_id")?;
    text.parse().map_err(|_| unknown_session())
}

fn unknown_session() -> ApiError {
    ApiError::not_found("session")
}

fn session_ended() -> ApiError {
    ApiError::conflict("session_ended", "this session has ended; start a new one")
}

/// Writes the heartbeats that this process still holds, so that what is read next is right to the second.
pub(crate) async fn catch_up(call: &Call) -> Result<(), ApiError> {
    let over = call.app.heartbeats.write_sessions(&call.app.context).await?;
    for session in over {
        call.app.sessions.forget(session).await;
    }
    Ok(())
}

/// An audit entry in the name of the staff member who acts (docs/rules.md 6).
async fn audit_as(
    call: &Call,
    transaction: &DatabaseTransaction,
    staff: ChatId,
    (action, target): (&'static str, String),
    metadata: Value,
) -> Result<(), ApiError> {
    use entities::audit_entry::{self, Actor, NewEntry};
    let actor = Actor { actor_id: staff.get(), ..call.actor() };
    let entry = NewEntry { guild: call.guild(), action, target, metadata };
    audit_entry::write(transaction, &actor, entry, call.now()).await?;
    Ok(())
}
