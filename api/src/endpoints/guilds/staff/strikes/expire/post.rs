//! POST /guilds/:guildId/staff/strikes/expire

use entities::strike;

use crate::endpoints::guilds::staff::expired::{BATCH, Expired, sweep_all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("expireStrikes", "Close strikes that have expired").data::<Expired>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let work = UnitOfWork::begin(&call).await?;
    let (actor, guild, now) = (call.actor(), Some(call.guild()), work.now());
    let sweep = || async { Ok(strike::sweep(work.tx(), &actor, guild, now, BATCH).await?.len()) };
    let expired = sweep_all(sweep).await?;
    work.commit(Reply::data(&expired)?).await
}
