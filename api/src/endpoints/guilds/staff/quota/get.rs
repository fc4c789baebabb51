//! GET /guilds/:guildId/staff/quota

use entities::{QuotaId, quota};

use crate::endpoints::guilds::staff::quota::record::Quota;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Quotas {
    quotas: Vec<Quota>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<QuotaId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listQuotas", "Quotas, newest first").paged_if_asked::<QuotaId>().data::<Quotas>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<QuotaId>()?;
    let rows = quota::list(call.read(), call.guild(), page.to_fetch()).await?;
    page.reply(rows, |row| row.quota_id, |quotas, next_cursor| Quotas { quotas, next_cursor })
}
