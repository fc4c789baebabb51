//! Shared by approving and rejecting a request for leave. Each is decided once; an approval adds the leave in the same
//! transaction (docs/rules.md 6).

use entities::leave_request::{self, Model, State};
use entities::loa::{self, NewLoa};
use entities::{LeaveRequestId, LoaId};

use crate::endpoints::guilds::staff::leave_requests::record::LeaveRequest;
use crate::endpoints::guilds::staff::loa::record::{Loa, written};
use crate::endpoints::prelude::*;

pub(crate) fn describe(operation: Operation) -> Operation {
    operation.data::<LeaveRequest>().refuses(409, &["already_approved", "already_rejected"])
}

pub(crate) async fn decide(call: Call, approve: bool) -> Result<Reply, ApiError> {
    let id: LeaveRequestId = call.path("requestId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = leave_request::find_for_update(work.tx(), call.guild(), id).await?;
    let before = before.or_not_found("request for leave")?;
    check_open(&before)?;
    let loa = if approve { Some(add_leave(&call, &mut work, &before).await?) } else { None };
    let (state, action, message) = match loa {
        Some(_) => (State::Approved, "loa.approve", "leave approved"),
        None => (State::Rejected, "loa.reject", "leave rejected"),
    };
    let (decided_at, decided_by) = (Some(work.now()), Some(call.caller.user()));
    let after = Model { state, decided_at, decided_by, loa_id: loa, ..before };
    let after = LeaveRequest::from(&leave_request::save(work.tx(), &after).await?);
    work.audit(action, id, json!({ "before": { "state": State::Requested }, "after": after }));
    work.commit(Reply::data(&after)?.with_message(message)).await
}

async fn add_leave(call: &Call, work: &mut UnitOfWork<'_>, request: &Model) -> Result<LoaId, ApiError> {
    call.room_for(work.tx(), Cap::Leaves, 1).await?;
    let new = NewLoa {
        staff_id: request.staff_id,
        starts_at: request.starts_at,
        ends_at: request.ends_at,
        reason: request.reason.clone(),
    };
    let added = written(loa::add(work.tx(), call.guild(), new, work.now()).await?)?;
    work.audit("loa.create", added.loa_id, json!({ "after": Loa::from(&added) }));
    Ok(added.loa_id)
}

fn check_open(request: &Model) -> Result<(), ApiError> {
    match request.state {
        State::Requested => Ok(()),
        State::Approved => Err(ApiError::conflict("already_approved", "this request was approved before")),
        State::Rejected => Err(ApiError::conflict("already_rejected", "this request was rejected before")),
    }
}
