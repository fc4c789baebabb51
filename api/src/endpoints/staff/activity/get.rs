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

answer! {
    pub(crate) struct StaffAction from row: Model {
        id: ActionId = row.action_id,
        staff_id: ChatId,
        action_type: ActionType,
        #[schema(example = "4815162342")]
        target_id: String,
        #[schema(value_type = Object, example = json!({ "reason": "exploiting" }))]
        details: Value,
        /// False: the action waits for approval or was rejected, and counts in no total.
        counts: bool = row.nth.is_some(),
        created_at: Seconds,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStaffActivity", "Actions of staff, newest first")
        .paged::<ActionId>()
        .data::<StaffActivity>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<ActionId>()?;
    let rows = staff_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    page.reply(rows, |row| row.action_id, |actions, next_cursor| StaffActivity { actions, next_cursor })
}
