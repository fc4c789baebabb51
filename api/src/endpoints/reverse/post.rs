//! POST /reverse: the chat users of up to 200 game users (docs/rules.md 8).

use std::collections::HashMap;

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;
use crate::request::values::{Batch, List, OrTest};

request! {
    pub(crate) struct ReverseRequest {
        play_ids: Batch<OrTest<PlayId>>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedMembers {
    results: Vec<VerifiedMember>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedMember {
    play_id: PlayId,
    chat_id: ChatId,
    #[schema(example = "Brickmason")]
    play_username: String,
}

pub(crate) fn operation() -> Operation {
    Operation::new("reverse", "The chat users of up to 200 game users")
        .about("In the order of the request; users who are not linked are left out.")
        .body::<ReverseRequest>()
        .data::<VerifiedMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let ReverseRequest { play_ids: List(plays) } = call.body()?;
    let plays: Vec<_> = plays.into_iter().filter_map(OrTest::player).collect();
    let links = link::find_by_plays(call.read(), call.guild(), &plays).await?;
    let links: HashMap<_, _> = links.into_iter().map(|link| (link.play_id, link)).collect();
    let found = |play: &PlayId| {
        let link = links.get(play)?;
        let play_username = link.play_username.clone();
        Some(VerifiedMember { play_id: *play, chat_id: link.chat_id, play_username })
    };
    Reply::data(&VerifiedMembers { results: plays.iter().filter_map(found).collect() })
}
