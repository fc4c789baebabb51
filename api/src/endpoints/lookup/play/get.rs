//! GET /lookup/play/:playId

use entities::{PlayId, Subject};

use crate::endpoints::lookup::link_record::{LinkRecord, look_up};
use crate::endpoints::prelude::*;
use crate::request::values::OrTest;

pub(crate) fn operation() -> Operation {
    Operation::new("lookupPlay", "The chat user of a game account")
        .guild_header()
        .data::<LinkRecord>()
        .refuses(404, &["not_linked"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let OrTest::Player(play) = call.path::<OrTest<PlayId>>("playId")? else {
        return Err(ApiError::not_linked());
    };
    look_up(&call, Subject::Play(play)).await
}
