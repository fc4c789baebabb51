//! `/guilds/:guildId/staff/quota-pending` (docs/rules.md 6): actions that wait for approval before they count.

use entities::approval::{self, Decision};
use entities::pending_action::{self, Model, State, Verdict};
use entities::staff_action::ActionType;
use entities::{ActionId, ChatId, PendingId};
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

#[derive(Serialize)]
struct PendingActions {
    pending: Vec<Pending>,
    next_cursor: Option<PendingId>,
}

#[derive(Serialize)]
struct Pending {
    id: PendingId,
    staff_id: ChatId,
    action_type: ActionType,
    submitted_at: Seconds,
    /// The entry in the list of activity that it is about.
    action_id: ActionId,
    state: State,
}

impl From<&Model> for Pending {
    fn from(row: &Model) -> Self {
        Self {
            id: row.pending_id,
            staff_id: row.staff_id,
            action_type: row.action_type,
            submitted_at: Seconds(row.submitted_at),
            action_id: row.action_id,
            state: row.state,
        }
    }
}

/// GET, newest first.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<PendingId>::or_whole(&call, ID)?;
    let mut rows = pending_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.pending_id);
    Reply::data(&PendingActions { pending: rows.iter().map(Pending::from).collect(), next_cursor })
}

/// POST …/:actionId/approve: from now on it counts.
pub(crate) async fn approve(call: Call) -> Result<Reply, ApiError> {
    decide(call, true).await
}

/// POST …/:actionId/reject: it never counts.
pub(crate) async fn reject(call: Call) -> Result<Reply, ApiError> {
    decide(call, false).await
}

async fn decide(call: Call, approve: bool) -> Result<Reply, ApiError> {
    let id: PendingId = call.path("actionId", ID)?;
    let (action, message) =
        if approve { ("quotas.approve", "action approved") } else { ("quotas.reject", "action rejected") };
    let transaction = call.begin().await?;
    let verdict = Verdict { approve, by: call.key.owner(), at: call.now() };
    let decided = match approval::decide(&transaction, call.guild(), id, verdict).await? {
        Decision::Made(row) => row,
        Decision::Already(row) => return Err(already(&row)),
        Decision::Unknown => return Err(ApiError::not_found("pending action")),
    };
    let changes = json!({ "before": { "state": State::Pending }, "after": Pending::from(&decided) });
    call.audit(&transaction, action, id, changes).await?;
    let reply = Reply::data(&Pending::from(&decided))?.with_message(message);
    call.commit(transaction, reply).await
}

fn already(row: &Model) -> ApiError {
    let (word, how) = match row.state {
        State::Approved => ("already_approved", "approved"),
        State::Rejected => ("already_rejected", "rejected"),
        State::Pending => ("conflict", "decided"),
    };
    ApiError::conflict(word, format!("this action was {how} before"))
}
