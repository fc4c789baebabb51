//! POST /guilds/:guildId/staff/leave-requests/:requestId/reject

use crate::endpoints::guilds::staff::leave_requests::decide::{Decision, decide, describe};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("rejectLeaveRequest", "Reject a request for leave");
    describe(operation).about("No leave is added.").message("leave rejected")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    decide(call, Decision::Reject).await
}
