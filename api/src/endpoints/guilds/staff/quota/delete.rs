//! DELETE /guilds/:guildId/staff/quota/:quotaId

use entities::{QuotaId, quota};

use crate::endpoints::guilds::staff::quota::record::Quota;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteQuota", "Delete a quota").message("quota deleted")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: QuotaId = call.path("quotaId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let removed = quota::delete(work.tx(), call.guild(), id).await?.or_not_found("quota")?;
    work.audit("quotas.delete", id, json!({ "before": Quota::from(&removed) }));
    work.commit(Reply::message("quota deleted")).await
}
