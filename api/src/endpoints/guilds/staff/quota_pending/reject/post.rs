//! POST /guilds/:guildId/staff/quota-pending/:actionId/reject

use crate::endpoints::guilds::staff::quota_pending::decide::{decide, describe};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("rejectAction", "Reject a pending action")
        .about("It never counts: neither for quotas nor for score, statistics and totals.");
    describe(operation).message("action rejected")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    decide(call, false).await
}
