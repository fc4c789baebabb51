//! GET /guilds/:guildId/link-attempts

use entities::AttemptId;
use entities::link_attempt::{self, State};

use crate::endpoints::guilds::link_attempts::record::LinkAttempt;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LinkAttemptsQuery {
        /// Only those in this state.
        state: Option<State>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkAttempts {
    attempts: Vec<LinkAttempt>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<AttemptId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listLinkAttempts", "Attempts to link, newest first")
        .about("The game account is shown only where the member agreed to it.")
        .paged::<AttemptId>()
        .query::<LinkAttemptsQuery>()
        .data::<LinkAttempts>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<AttemptId>()?;
    let LinkAttemptsQuery { state } = call.query()?;
    let rows = link_attempt::list(call.read(), call.guild(), state, page.to_fetch()).await?;
    page.reply(rows, |row| row.attempt_id, |attempts, next_cursor| LinkAttempts { attempts, next_cursor })
}
