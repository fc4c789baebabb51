//! GET /guilds/:guildId/staff/loa

use entities::loa::{self, Filter, Status};
use entities::{ChatId, LoaId};

use crate::endpoints::guilds::staff::loa::record::Loa;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LoaQuery {
        /// Only those of this staff member.
        staff_id: Option<ChatId>,
        /// Only those with this status.
        status: Option<Status>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Loas {
    loas: Vec<Loa>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<LoaId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listLoas", "Leaves of absence, newest first")
        .paged_if_asked::<LoaId>()
        .query::<LoaQuery>()
        .data::<Loas>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<LoaId>()?;
    let LoaQuery { staff_id, status } = call.query()?;
    let filter = Filter { staff: staff_id, status };
    let now = call.now();
    let rows = loa::list(call.read(), call.guild(), filter, page.to_fetch(), now).await?;
    let rows = rows.iter().map(|row| Loa::new(row, now)).collect();
    page.reply(rows, |row: &Loa| row.id, |loas, next_cursor| Loas { loas, next_cursor })
}
