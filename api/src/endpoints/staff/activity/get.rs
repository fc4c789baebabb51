//! GET /staff/activity/:guildId

use entities::staff_action::{self, ActionType, Model};
use entities::{ActionId, ChatId};
use serde_json::Value;

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffActivity {
    actions: Vec<StaffAction>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<ActionId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffAction {
    id: ActionId,
    staff_id: ChatId,
    action_type: ActionType,
    #[schema(example = "4815162342")]
    target_id: String,
    #[schema(value_type = Object, example = json!({ "reason": "exploiting" }))]
    details: Value,
    /// False: the action waits for approval or was rejected, and is in no total.
    counts: bool,
    created_at: Seconds,
}

impl From<Model> for StaffAction {
    fn from(row: Model) -> Self {
        Self {
            id: row.action_id,
            staff_id: row.staff_id,
            action_type: row.action_type,
            target_id: row.target_id,
            details: row.details,
            counts: row.nth.is_some(),
            created_at: Seconds(row.created_at),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStaffActivity", "Actions of staff, newest first")
        .paged::<ActionId>()
        .data::<StaffActivity>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<ActionId>()?;
    let mut rows = staff_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.action_id);
    Reply::data(&StaffActivity { actions: rows.into_iter().map(StaffAction::from).collect(), next_cursor })
}
