//! DELETE /guilds/:guildId/staff/loa/:loaId

use entities::{LoaId, loa};

use crate::endpoints::guilds::staff::loa::record::Loa;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteLoa", "Delete a leave of absence").message("leave of absence deleted")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: LoaId = call.path("loaId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let removed = loa::delete(work.tx(), call.guild(), id).await?.or_not_found("leave of absence")?;
    call.caller.decides_about(removed.staff_id)?;
    work.audit("loa.delete", id, json!({ "before": Loa::new(&removed, work.now()) }));
    work.commit(Reply::message("leave of absence deleted")).await
}
