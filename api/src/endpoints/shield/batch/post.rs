//! POST /shield/batch: the flags of up to 200 players. Reads only.

use entities::PlayId;
use entities::shield_flag::Model;

use crate::endpoints::prelude::*;
use crate::request::values::{Batch, List, OrTest};

request! {
    pub(crate) struct ShieldBatchRequest {
        play_ids: Batch<OrTest<PlayId>>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ShieldBatch {
    flagged: Vec<ShieldItem>,
}

answer! {
    pub(crate) struct ShieldItem from row: Model {
        /// A string in answers, an integer in requests (docs/rules.md 8).
        #[schema(pattern = "^[1-9][0-9]{0,18}$", example = "4815162342")]
        play_id: String = row.play_id.to_string(),
        #[schema(example = "Griefer99")]
        play_username: String,
        #[schema(example = "exploiting")]
        reason: String,
        #[schema(example = "manual")]
        source: String,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("checkShieldBatch", "Which of up to 200 game users are flagged")
        .about("In the order of the request, without duplicates; users who are not flagged are left out.")
        .body::<ShieldBatchRequest>()
        .data::<ShieldBatch>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let ShieldBatchRequest { play_ids: List(plays) } = call.body()?;
    let plays: Vec<_> = plays.into_iter().filter_map(OrTest::player).collect();
    let flags = call.state.caches.flags.find(&plays).await?;
    let flagged = flags.iter().map(|flag| ShieldItem::from(&**flag)).collect();
    Reply::data(&ShieldBatch { flagged })
}
