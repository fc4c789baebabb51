//! A session that has ended, in answers and audit entries.

use entities::SessionId;
use entities::staff_session::Model;

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct EndedSession from row: Model {
        session_id: SessionId,
        /// From the start to the last heartbeat.
        #[schema(minimum = 0, example = 3600)]
        duration_seconds: i64 = row.duration_seconds(),
    }
}
