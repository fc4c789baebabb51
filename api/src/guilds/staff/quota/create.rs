//! POST /guilds/:guildId/staff/quota

use entities::quota::{self, Metric, NewQuota, Period};
use serde_json::json;

use crate::call::Call;
use crate::fields::{Fields, Text};
use crate::guilds::staff::Added;
use crate::guilds::staff::quota::{Quota, RoleScope, Target, check_approval};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let new = read(&call.fields)?;
    check_approval(new.metric, new.requires_approval)?;
    let transaction = call.begin().await?;
    let added = quota::add(&transaction, call.guild(), new, call.now()).await?;
    let id = added.quota_id;
    call.audit(&transaction, "quotas.create", id, json!({ "after": Quota::from(&added) })).await?;
    call.commit(transaction, Reply::data(&Added { id })?.with_message("quota added")).await
}

fn read(fields: &Fields) -> Result<NewQuota, ApiError> {
    Ok(NewQuota {
        name: fields.required::<Text>("name")?.0,
        metric: fields.required::<Metric>("metric")?,
        target: fields.required::<Target>("target")?.0.into(),
        period: fields.required::<Period>("period")?,
        scope_role: fields.optional::<RoleScope>("scope")?.map(|scope| scope.0),
        requires_approval: fields.optional::<bool>("requires_approval")?.unwrap_or(false),
    })
}
