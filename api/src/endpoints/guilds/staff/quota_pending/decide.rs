//! Shared by approving and rejecting a pending action. Each is decided once (docs/rules.md 6).

use entities::PendingId;
use entities::approval::{self, Decision};
use entities::pending_action::{Model, State, Verdict};

use crate::endpoints::guilds::staff::quota_pending::record::PendingAction;
use crate::endpoints::prelude::*;

pub(crate) fn describe(operation: Operation) -> Operation {
    operation.data::<PendingAction>().refuses(409, &["already_approved", "already_rejected"])
}

pub(crate) async fn decide(call: Call, approve: bool) -> Result<Reply, ApiError> {
    let id: PendingId = call.path("actionId")?;
    let (action, message) =
        if approve { ("quotas.approve", "action approved") } else { ("quotas.reject", "action rejected") };
    let mut work = UnitOfWork::begin(&call).await?;
    let verdict = Verdict { approve, by: call.caller.user(), at: work.now() };
    let decided = match approval::decide(work.tx(), call.guild(), id, verdict).await? {
        Decision::Made(row) => {
            call.caller.decides_about(row.staff_id)?;
            PendingAction::from(&row)
        }
        Decision::Already(row) => return Err(already(&row)),
        Decision::Unknown => return Err(ApiError::not_found("pending action")),
    };
    let changes = json!({ "before": { "state": State::Pending }, "after": decided });
    work.audit(action, id, changes);
    work.commit(Reply::data(&decided)?.with_message(message)).await
}

fn already(row: &Model) -> ApiError {
    let (word, how) = match row.state {
        State::Approved => ("already_approved", "approved"),
        State::Rejected => ("already_rejected", "rejected"),
        State::Pending => ("conflict", "decided"),
    };
    ApiError::conflict(word, format!("this action is already {how}"))
}
