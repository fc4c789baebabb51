//! GET /guilds/:guildId/staff/quota, newest first.

use entities::{QuotaId, quota};
use serde::Serialize;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::quota::Quota;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;

#[derive(Serialize)]
struct Quotas {
    quotas: Vec<Quota>,
    next_cursor: Option<QuotaId>,
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<QuotaId>::or_whole(&call, ID)?;
    let mut rows = quota::list(call.read(), call.guild(), page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.quota_id);
    Reply::data(&Quotas { quotas: rows.iter().map(Quota::from).collect(), next_cursor })
}
