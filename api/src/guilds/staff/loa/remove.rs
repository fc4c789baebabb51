//! DELETE /guilds/:guildId/staff/loa/:loaId

use entities::{LoaId, loa};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::loa::{Loa, unknown};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let id: LoaId = call.path("loaId", ID)?;
    let transaction = call.begin().await?;
    let removed = loa::delete(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    call.audit(&transaction, "loa.delete", id, json!({ "before": Loa::from(&removed) })).await?;
    call.commit(transaction, Reply::message("leave of absence deleted")).await
}
