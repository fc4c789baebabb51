//! A session that has ended, in answers and audit entries.

use entities::SessionId;
use entities::staff_session::Model;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct EndedSession {
    session_id: SessionId,
    /// From the start to the last heartbeat.
    #[schema(minimum = 0, example = 3600)]
    duration_seconds: i64,
}

impl From<&Model> for EndedSession {
    fn from(row: &Model) -> Self {
        Self { session_id: row.session_id, duration_seconds: row.duration_seconds() }
    }
}
