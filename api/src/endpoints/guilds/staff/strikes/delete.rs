//! DELETE /guilds/:guildId/staff/strikes/:strikeId: deletes the record; only the audit log keeps it.

use entities::{StrikeId, strike};

use crate::endpoints::guilds::staff::strikes::record::Strike;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("wipeStrike", "Delete the record of a strike").message("strike wiped")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let wiped = strike::delete(work.tx(), call.guild(), id).await?.or_not_found("strike")?;
    call.caller.decides_about(wiped.staff_id)?;
    let before = Strike::new(&wiped, work.now());
    work.audit("strikes.wipe", id, json!({ "before": before }));
    work.commit(Reply::message("strike wiped")).await
}
