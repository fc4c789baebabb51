//! GET /guilds/:guildId/staff/quota-pending

use entities::{PendingId, pending_action};

use crate::endpoints::guilds::staff::quota_pending::record::PendingAction;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct PendingActions {
    pending: Vec<PendingAction>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<PendingId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listPendingActions", "Actions that wait for approval, newest first")
        .paged_if_asked::<PendingId>()
        .data::<PendingActions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<PendingId>()?;
    let rows = pending_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    page.reply(rows, |row| row.pending_id, |pending, next_cursor| PendingActions { pending, next_cursor })
}
