//! POST /guilds/:guildId/staff/leave-requests/:requestId/withdraw

use crate::endpoints::guilds::staff::leave_requests::decide::{Decision, decide, describe};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("withdrawLeaveRequest", "Withdraw a request for leave");
    describe(operation)
        .about("For a staff member who no longer needs the leave; the request stays in the list.")
        .message("request withdrawn")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    decide(call, Decision::Withdraw).await
}
