//! POST /guilds/:guildId/staff/leave-requests/:requestId/approve

use crate::endpoints::guilds::staff::leave_requests::decide::{decide, describe};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("approveLeaveRequest", "Approve a request for leave");
    let operation = operation.about("Adds the leave of absence.").message("leave approved");
    describe(operation).refuses(409, &["loa_overlaps"]).refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    decide(call, true).await
}
