//! POST /guilds/:guildId/staff/strikes/expire

use entities::strike;

use crate::endpoints::guilds::staff::expired::{BATCH, Expired, sweep_all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("expireStrikes", "Close strikes that have expired").data::<Expired>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let sweep = || strike::sweep(work.tx(), Some(call.guild()), work.now(), BATCH);
    let rows = sweep_all(sweep).await?;
    work.audit_all(rows.iter().map(strike::expiry_entry));
    work.commit(Reply::data(&Expired::of(&rows))?).await
}
