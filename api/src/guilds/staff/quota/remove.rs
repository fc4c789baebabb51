//! DELETE /guilds/:guildId/staff/quota/:quotaId

use entities::{QuotaId, quota};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::quota::{Quota, unknown};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let id: QuotaId = call.path("quotaId", ID)?;
    let transaction = call.begin().await?;
    let removed = quota::delete(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    call.audit(&transaction, "quotas.delete", id, json!({ "before": Quota::from(&removed) })).await?;
    call.commit(transaction, Reply::message("quota deleted")).await
}
