//! GET /guilds/:guildId/staff/leave-requests

use entities::leave_request::{self, Filter, State};
use entities::{ChatId, LeaveRequestId};

use crate::endpoints::guilds::staff::leave_requests::record::LeaveRequest;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LeaveRequestsQuery {
        /// Only those of this staff member.
        staff_id: Option<ChatId>,
        /// Only those in this state.
        state: Option<State>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct LeaveRequests {
    requests: Vec<LeaveRequest>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<LeaveRequestId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listLeaveRequests", "Requests for leave, newest first")
        .paged::<LeaveRequestId>()
        .query::<LeaveRequestsQuery>()
        .data::<LeaveRequests>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<LeaveRequestId>()?;
    let LeaveRequestsQuery { staff_id, state } = call.query()?;
    let filter = Filter { staff: staff_id, state };
    let rows = leave_request::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    let data = |requests, next_cursor| LeaveRequests { requests, next_cursor };
    page.reply(rows, |row| row.leave_request_id, data)
}
