//! GET /guilds/:guildId/settings (docs/rules.md 8)

use entities::guild::{self, Settings};

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("getSettings", "The guild's settings").data::<Settings>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    Reply::data(&guild::find(call.read(), call.guild()).await?.or_not_found("guild")?.settings())
}
