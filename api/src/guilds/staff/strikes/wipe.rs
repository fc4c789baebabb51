//! DELETE /guilds/:guildId/staff/strikes/:strikeId: as if it had never been; only the audit log remembers.

use entities::{StrikeId, strike};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::strikes::{Strike, unknown};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn wipe(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId", ID)?;
    let transaction = call.begin().await?;
    let wiped = strike::delete(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    let before = Strike::new(&wiped, call.now());
    call.audit(&transaction, "strikes.wipe", id, json!({ "before": before })).await?;
    call.commit(transaction, Reply::message("strike wiped")).await
}
