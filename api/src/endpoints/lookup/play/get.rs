//! GET /lookup/play/:playId

use entities::{PlayId, link};

use crate::endpoints::lookup::link_record::{LinkRecord, reply};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("lookupPlay", "The chat user of a game account")
        .guild_header()
        .data::<LinkRecord>()
        .refuses(404, &["not_linked"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let play: PlayId = call.path("playId")?;
    reply(link::find_by_play(call.read(), call.guild(), play).await?)
}
