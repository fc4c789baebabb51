//! An action that waits for approval, as the API shows it (docs/rules.md 6).

use entities::pending_action::{Model, State};
use entities::staff_action::ActionType;
use entities::{ActionId, ChatId, PendingId};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct PendingAction from row: Model {
        id: PendingId = row.pending_id,
        staff_id: ChatId,
        action_type: ActionType,
        submitted_at: Seconds,
        /// The `id` of the action in the activity list.
        action_id: ActionId,
        state: State,
    }
}
