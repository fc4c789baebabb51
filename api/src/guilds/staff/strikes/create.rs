//! POST /guilds/:guildId/staff/strikes

use chrono::TimeDelta;
use entities::guild;
use entities::strike::{self, NewStrike};
use sea_orm::DatabaseTransaction;
use serde_json::json;

use crate::call::Call;
use crate::fields::{End, Text};
use crate::guilds::staff::strikes::{Severity, Strike, check_expiry};
use crate::guilds::staff::{Added, require_staff};
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::whole_second_from;

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let staff = call.fields.required("staff_id")?;
    let reason = call.fields.required::<Text>("reason")?.0;
    let severity = call.fields.required::<Severity>("severity")?.0;
    let expires_at = call.fields.optional::<End>("expires_at")?;
    if let Some(End(at)) = expires_at {
        check_expiry(at, call.now())?;
    }
    let transaction = call.begin().await?;
    require_staff(&call, &transaction, staff).await?;
    let expires_at = match expires_at {
        Some(End(at)) => at,
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
    Ok(whole_second_from(call.now() + TimeDelta::days(days.into())))
}
