//! A request for leave, as the API shows it (docs/rules.md 6).

use entities::leave_request::{Model, State};
use entities::{ChatId, LeaveRequestId, LoaId};

use crate::endpoints::prelude::*;

answer! {
    /// What a staff member asked for.
    pub(crate) struct LeaveRequest from row: Model {
        pub(crate) id: LeaveRequestId = row.leave_request_id,
        staff_id: ChatId,
        starts_at: Seconds,
        ends_at: Seconds,
        #[schema(example = "exams")]
        reason: String,
        state: State,
        created_at: Seconds,
        /// Null until the request is decided.
        #[schema(required)]
        decided_by: Option<ChatId>,
        /// The leave that the approval added.
        #[schema(required)]
        loa_id: Option<LoaId>,
    }
}
