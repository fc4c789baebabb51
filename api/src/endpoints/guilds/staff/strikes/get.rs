//! GET /guilds/:guildId/staff/strikes

use entities::strike::{self, Filter};
use entities::{ChatId, StrikeId};

use crate::endpoints::guilds::staff::strikes::record::Strike;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct StrikeQuery {
        /// Only those of this staff member.
        staff_id: Option<ChatId>,
        /// Only active ones, or only those that have ended.
        active: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Strikes {
    strikes: Vec<Strike>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<StrikeId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStrikes", "Strikes, newest first")
        .paged_if_asked::<StrikeId>()
        .query::<StrikeQuery>()
        .data::<Strikes>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<StrikeId>()?;
    let StrikeQuery { staff_id, active } = call.query()?;
    let filter = Filter { staff: staff_id, active };
    let now = call.now();
    let rows = strike::list(call.read(), call.guild(), filter, page.to_fetch(), now).await?;
    let strikes = rows.iter().map(|row| Strike::new(row, now)).collect();
    page.reply(strikes, |strike: &Strike| strike.id, |strikes, next_cursor| Strikes { strikes, next_cursor })
}
