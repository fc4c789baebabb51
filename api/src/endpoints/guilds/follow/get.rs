//! GET /guilds/:guildId/follow (docs/rules.md 5)

use entities::follow;

use crate::endpoints::guilds::follow::record::Follow;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("getFollow", "How the guild follows the game platform")
        .about("Syncs of all members that start by themselves, and use no hour of `/interactions/sync/all`.")
        .data::<Follow>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let row = follow::read(call.read(), call.guild(), call.now()).await?;
    Reply::data(&Follow::from(&row))
}
