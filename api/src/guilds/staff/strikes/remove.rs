//! PATCH /guilds/:guildId/staff/strikes/:strikeId: takes a strike off its bearer for good; the record is kept.

use entities::strike;
use entities::{StrikeId, strike::Ended};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::strikes::unknown;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId", ID)?;
    let transaction = call.begin().await?;
    strike::find_for_update(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    let Some(removed) = strike::remove(&transaction, call.guild(), id, call.now()).await? else {
        return Ok(Reply::message("the strike was inactive already"));
    };
    let changes = json!({
        "before": { "active": removed.expires_at > call.now() },
        "after": { "active": false, "ended_how": Ended::Removed, "staff_id": removed.staff_id },
    });
    call.audit(&transaction, "strikes.remove", id, changes).await?;
    call.commit(transaction, Reply::message("strike removed")).await
}
