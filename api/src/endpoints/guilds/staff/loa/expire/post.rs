//! POST /guilds/:guildId/staff/loa/expire

use entities::loa;

use crate::endpoints::guilds::staff::expired::{BATCH, Expired, sweep_all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("expireLoas", "Close leaves that have ended").data::<Expired>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let sweep = || loa::sweep(work.tx(), Some(call.guild()), work.now(), BATCH);
    let rows = sweep_all(sweep).await?;
    work.audit_all(rows.iter().map(loa::expiry_entry));
    work.commit(Reply::data(&Expired::of(&rows))?).await
}
