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
    let mut rows = pending_action::list(call.read(), call.guild(), page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.pending_id);
    Reply::data(&PendingActions { pending: rows.iter().map(PendingAction::from).collect(), next_cursor })
}
