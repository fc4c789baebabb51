//! POST /guilds/:guildId/staff/strikes

use chrono::TimeDelta;
use entities::strike::{self, NewStrike};
use entities::{ChatId, StrikeId, Timestamp, guild};

use crate::endpoints::guilds::staff::strikes::record::{Severity, Strike, check_expiry};
use crate::endpoints::prelude::*;
use crate::endpoints::staff::staff_check::require_staff;
use crate::request::moment::End;
use crate::response::rows::whole_second_from;

request! {
    pub(crate) struct StrikeRequest {
        staff_id: ChatId,
        #[example("abuse of commands")]
        reason: Text,
        #[example(3)]
        severity: Severity,
        /// Must be in the future. If absent, the strike expires after the guild's `strike_days`.
        expires_at: Option<End>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createStrike", "Give a strike")
        .body::<StrikeRequest>()
        .data::<Created<StrikeId>>()
        .message("strike added")
        .refuses(404, &["not_found"])
        .refuses(422, &["expires_in_the_past", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let StrikeRequest { staff_id: staff, reason: Text(reason), severity, expires_at } = call.body()?;
    call.caller.decides_about(staff)?;
    if let Some(End(at)) = expires_at {
        check_expiry(at, call.now())?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    require_staff(&call, &work, staff).await?;
    call.room_for(work.tx(), Cap::Strikes, 1).await?;
    let expires_at = match expires_at {
        Some(End(at)) => at,
        None => default_expiry(&call, &work).await?,
    };
    let new = NewStrike {
        staff_id: staff,
        reason,
        severity: severity.0,
        issued_by: call.caller.user(),
        expires_at,
    };
    let added = strike::add(work.tx(), call.guild(), new, work.now()).await?;
    let id = added.strike_id;
    work.audit("strikes.create", id, json!({ "after": Strike::new(&added, work.now()) }));
    work.commit(Reply::data(&Created { id })?.with_message("strike added")).await
}

/// The guild's default: its number of days from now.
async fn default_expiry(call: &Call, work: &UnitOfWork<'_>) -> Result<Timestamp, ApiError> {
    let days = guild::find(work.tx(), call.guild()).await?.or_not_found("guild")?.strike_days;
    Ok(whole_second_from(work.now() + TimeDelta::days(days.into())))
}
