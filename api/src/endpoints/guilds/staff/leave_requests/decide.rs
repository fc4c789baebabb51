//! Shared by changing, approving, rejecting and withdrawing a request for leave. Each is decided once; an approval adds
//! the leave in the same transaction (docs/rules.md 6).

use entities::leave_request::{self, Model, State};
use entities::loa::{self, NewLoa};
use entities::{LeaveRequestId, LoaId, Timestamp};
use people::Needs;

use crate::endpoints::guilds::staff::leave_requests::record::LeaveRequest;
use crate::endpoints::guilds::staff::loa::record::{Loa, check_span, written};
use crate::endpoints::prelude::*;

pub(crate) enum Decision {
    /// Absent times default to the requested ones.
    Approve {
        starts_at: Option<Timestamp>,
        ends_at: Option<Timestamp>,
    },
    Reject,
    Withdraw,
}

impl Decision {
    /// The state that follows, the action of the audit entry, and the message.
    fn words(&self) -> (State, &'static str, &'static str) {
        match self {
            Self::Approve { .. } => (State::Approved, "loa.approve", "leave approved"),
            Self::Reject => (State::Rejected, "loa.reject", "leave rejected"),
            Self::Withdraw => (State::Withdrawn, "loa.withdraw", "request withdrawn"),
        }
    }
}

pub(crate) fn describe(operation: Operation) -> Operation {
    operation
        .data::<LeaveRequest>()
        .refuses(409, &["already_approved", "already_rejected", "already_withdrawn"])
}

pub(crate) async fn decide(call: Call, decision: Decision) -> Result<Reply, ApiError> {
    let id: LeaveRequestId = call.path("requestId")?;
    let (state, action, message) = decision.words();
    let mut work = UnitOfWork::begin(&call).await?;
    let before = leave_request::find_for_update(work.tx(), call.guild(), id).await?;
    let before = before.or_not_found("request for leave")?;
    match decision {
        Decision::Withdraw => call.caller.acts_for(before.staff_id, Needs::Admin)?,
        Decision::Approve { .. } | Decision::Reject => call.caller.decides_about(before.staff_id)?,
    }
    check_open(&before)?;
    let (decided_at, decided_by) = (Some(work.now()), Some(call.caller.user()));
    let mut after = Model { state, decided_at, decided_by, ..before.clone() };
    if let Decision::Approve { starts_at, ends_at } = decision {
        after.starts_at = starts_at.unwrap_or(before.starts_at);
        after.ends_at = ends_at.unwrap_or(before.ends_at);
        check_span(after.starts_at, after.ends_at)?;
        after.loa_id = Some(add_leave(&call, &mut work, &after).await?);
    }
    let after = LeaveRequest::from(&leave_request::save(work.tx(), &after).await?);
    let asked = json!({ "state": before.state, "starts_at": Seconds(before.starts_at), "ends_at": Seconds(before.ends_at) });
    work.audit(action, id, json!({ "before": asked, "after": after }));
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
    work.audit("loa.create", added.loa_id, json!({ "after": Loa::new(&added, work.now()) }));
    Ok(added.loa_id)
}

pub(crate) fn check_open(request: &Model) -> Result<(), ApiError> {
    let (word, message) = match request.state {
        State::Requested => return Ok(()),
        State::Approved => ("already_approved", "this request is already approved"),
        State::Rejected => ("already_rejected", "this request is already rejected"),
        State::Withdrawn => ("already_withdrawn", "this request is already withdrawn"),
    };
    Err(ApiError::conflict(word, message))
}
