//! POST /guilds/:guildId/staff/leave-requests

use entities::leave_request::{self, NewRequest};
use entities::{ChatId, LeaveRequestId};
use people::Needs;

use crate::endpoints::guilds::staff::leave_requests::record::LeaveRequest;
use crate::endpoints::guilds::staff::loa::record::check_span;
use crate::endpoints::prelude::*;
use crate::endpoints::staff::staff_check::require_staff;
use crate::request::moment::{End, Moment};

request! {
    pub(crate) struct LeaveRequestBody {
        staff_id: ChatId,
        #[example("2099-05-01T00:00:00Z")]
        starts_at: Moment,
        #[example("2099-05-15T00:00:00Z")]
        ends_at: End,
        #[example("exams")]
        reason: Text,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createLeaveRequest", "Ask for a leave of absence")
        .about("The leave is added when the request is approved.")
        .body::<LeaveRequestBody>()
        .data::<Created<LeaveRequestId>>()
        .message("leave requested")
        .refuses(404, &["not_found"])
        .refuses(422, &["ends_before_start", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let LeaveRequestBody { staff_id, starts_at, ends_at, reason: Text(reason) } = call.body()?;
    call.caller.acts_for(staff_id, Needs::Permission("staff.write"))?;
    let new = NewRequest { staff_id, starts_at: starts_at.0, ends_at: ends_at.0, reason };
    check_span(new.starts_at, new.ends_at)?;
    let mut work = UnitOfWork::begin(&call).await?;
    require_staff(&call, &work, staff_id).await?;
    call.room_for(work.tx(), Cap::LeaveRequests, 1).await?;
    let added = leave_request::add(work.tx(), call.guild(), new, work.now()).await?;
    let id = added.leave_request_id;
    work.audit("loa.request", id, json!({ "after": LeaveRequest::from(&added) }));
    work.commit(Reply::data(&Created { id })?.with_message("leave requested")).await
}
