//! PATCH /guilds/:guildId/staff/leave-requests/:requestId

use entities::LeaveRequestId;
use entities::leave_request::{self, Model};
use people::Needs;

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::leave_requests::decide::{check_open, describe};
use crate::endpoints::guilds::staff::leave_requests::record::LeaveRequest;
use crate::endpoints::guilds::staff::loa::record::check_span;
use crate::endpoints::prelude::*;
use crate::request::moment::{End, Moment};

request! {
    pub(crate) struct LeaveRequestPatch {
        #[example("2099-05-01T00:00:00Z")]
        starts_at: Patch<Moment>,
        #[example("2099-05-15T00:00:00Z")]
        ends_at: Patch<End>,
        #[example("exams")]
        reason: Patch<Text>,
    }
}

pub(crate) fn operation() -> Operation {
    describe(Operation::new("updateLeaveRequest", "Change a request for leave"))
        .about("Until it is decided. At least one field; the others stay.")
        .body::<LeaveRequestPatch>()
        .message("request for leave updated")
        .refuses(422, &["ends_before_start"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: LeaveRequestId = call.path("requestId")?;
    let LeaveRequestPatch { starts_at, ends_at, reason } = call.patch()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = leave_request::find_for_update(work.tx(), call.guild(), id).await?;
    let before = before.or_not_found("request for leave")?;
    call.caller.acts_for(before.staff_id, Needs::Admin)?;
    check_open(&before)?;
    let row = Model {
        starts_at: starts_at.0.map_or(before.starts_at, |moment| moment.0),
        ends_at: ends_at.0.map_or(before.ends_at, |end| end.0),
        reason: reason.0.map_or_else(|| before.reason.clone(), |text| text.0),
        ..before.clone()
    };
    check_span(row.starts_at, row.ends_at)?;
    let after = LeaveRequest::from(&row);
    let Some(changes) = audit::changes_about(before.staff_id, &LeaveRequest::from(&before), &after)? else {
        return Ok(Reply::data(&after)?.with_message("nothing to change: the request is like that already"));
    };
    leave_request::save(work.tx(), &row).await?;
    work.audit("loa.request_update", id, changes);
    work.commit(Reply::data(&after)?.with_message("request for leave updated")).await
}
