//! PATCH /guilds/:guildId/staff/strikes/:strikeId: ends a strike permanently; the record is kept.

use entities::StrikeId;
use entities::strike::{self, Ended};

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("removeStrike", "Remove a strike")
        .about("Ends the strike permanently, also an expired one; the record is kept.")
        .message("strike removed")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let now = work.now();
    let before = strike::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("strike")?;
    call.caller.decides_about(before.staff_id)?;
    let Some(removed) = strike::remove(work.tx(), call.guild(), id, now).await? else {
        return Ok(Reply::message("the strike was inactive already"));
    };
    let changes = json!({
        "before": { "active": removed.expires_at > now },
        "after": { "active": false, "ended_how": Ended::Removed, "staff_id": removed.staff_id },
    });
    work.audit("strikes.remove", id, changes);
    work.commit(Reply::message("strike removed")).await
}
