//! GET /staff/activity/:guildId

use entities::staff_action::{self, ActionType, Model};
use entities::{ActionId, ChatId};
use serde::Serialize;
use serde_json::Value;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

#[derive(Serialize)]
struct Activity {
    actions: Vec<Action>,
    next_cursor: Option<ActionId>,
}

#[derive(Serialize)]
struct Action {
    id: ActionId,
    staff_id: ChatId,
    action_type: ActionType,
    target_id: String,
    details: Value,
    /// False while it waits for the approval that a quota wants, and when that was refused.
    counts: bool,
    created_at: Seconds,
}

impl From<Model> for Action {
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

pub(crate) async fn activity(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<ActionId>::of(&call, "the `id` of an action")?;
    let mut rows = staff_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.action_id);
    Reply::data(&Activity { actions: rows.into_iter().map(Action::from).collect(), next_cursor })
}
