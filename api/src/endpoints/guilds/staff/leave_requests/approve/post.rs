//! POST /guilds/:guildId/staff/leave-requests/:requestId/approve

use crate::endpoints::guilds::staff::leave_requests::decide::{Decision, decide, describe};
use crate::endpoints::prelude::*;
use crate::request::moment::{End, Moment};

request! {
    pub(crate) struct LeaveApproval {
        /// If absent, the leave starts at the requested time.
        #[example("2099-05-01T00:00:00Z")]
        starts_at: Option<Moment>,
        /// If absent, the leave ends at the requested time.
        #[example("2099-05-15T00:00:00Z")]
        ends_at: Option<End>,
    }
}

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("approveLeaveRequest", "Approve a request for leave");
    let operation = operation.about("Adds the leave of absence, at the times of the body if it names any.");
    describe(operation.body::<LeaveApproval>().message("leave approved"))
        .refuses(409, &["loa_overlaps"])
        .refuses(422, &["ends_before_start", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let LeaveApproval { starts_at, ends_at } = call.body()?;
    let times = (starts_at.map(|start| start.0), ends_at.map(|end| end.0));
    decide(call, Decision::Approve { starts_at: times.0, ends_at: times.1 }).await
}
