//! POST /guilds/:guildId/staff/strikes

use chrono::{DurationRound, TimeDelta};
use entities::guild;
use entities::strike::{self, NewStrike};
use sea_orm::DatabaseTransaction;
use serde_json::json;

use crate::call::Call;
use crate::fields::{Moment, Text};
use crate::guilds::staff::strikes::{Severity, Strike};
use crate::guilds::staff::{Added, require_staff};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let staff = call.fields.required("staff_id")?;
    let reason = call.fields.required::<Text>("reason")?.0;
    let severity = call.fields.required::<Severity>("severity")?.0;
    let expires_at = call.fields.optional::<Moment>("expires_at")?;
    let transaction = call.begin().await?;
    require_staff(&call, &transaction, staff).await?;
    let expires_at = match expires_at {
        Some(Moment(at)) => at,
        None => default_expiry(&call, &transaction).await?,
    };
    let new = NewStrike { staff, reason, severity, issued_by: call.key.owner(), expires_at };
    let added = strike::add(&transaction, call.guild(), new, call.now()).await?;
    let (id, after) = (added.strike_id, Strike::new(&added, call.now()));
    call.audit(&transaction, "strikes.create", id, json!({ "after": after })).await?;
    call.commit(transaction, Reply::data(&Added { id })?.with_message("strike added")).await
}

/// As many days from now as the guild has set.
async fn default_expiry(
    call: &Call,
    transaction: &DatabaseTransaction,
) -> Result<entities::Timestamp, ApiError> {
    let found = guild::find(transaction, call.guild()).await?;
    let days = found.ok_or_else(|| ApiError::not_found("guild"))?.strike_days;
    let at = call.now() + TimeDelta::days(days.into());
    // Kept in whole seconds like every moment a client gives.
    Ok(at.duration_trunc(TimeDelta::seconds(1)).unwrap_or(at))
}
