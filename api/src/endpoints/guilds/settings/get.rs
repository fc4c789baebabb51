//! GET /guilds/:guildId/settings (docs/rules.md 8)

use entities::guild::{self, Settings};

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("getSettings", "The guild's settings").data::<Settings>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let found = guild::find(call.read(), call.guild()).await?;
    Reply::data(&found.ok_or_else(|| ApiError::not_found("guild"))?.settings())
}
