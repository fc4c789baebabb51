//! Session heartbeats that this process has received but not written yet.

use crate::call::Call;
use crate::response::error::ApiError;

/// Writes them, so that later reads are exact to the second.
pub(crate) async fn write_session_heartbeats(call: &Call) -> Result<(), ApiError> {
    let over = call.state.heartbeats.write_sessions(&call.state.context).await?;
    for session in over {
        call.state.caches.sessions.forget(session).await;
    }
    Ok(())
}
