//! An action that waits for approval, as the API shows it (docs/rules.md 6).

use entities::pending_action::{Model, State};
use entities::staff_action::ActionType;
use entities::{ActionId, ChatId, PendingId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct PendingAction {
    id: PendingId,
    staff_id: ChatId,
    action_type: ActionType,
    submitted_at: Seconds,
    /// The `id` of the action in the activity list.
    action_id: ActionId,
    state: State,
}

impl From<&Model> for PendingAction {
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
