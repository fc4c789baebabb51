//! POST /guilds/:guildId/staff/quota-pending/:actionId/approve

use crate::endpoints::guilds::staff::quota_pending::decide::{decide, describe};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("approveAction", "Approve a pending action")
        .about("From now on it counts: for quotas, score, statistics and totals.");
    describe(operation).message("action approved")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    decide(call, true).await
}
