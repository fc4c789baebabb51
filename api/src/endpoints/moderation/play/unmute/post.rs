//! POST /moderation/:guildId/play/unmute

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::execution::lift;
use crate::endpoints::moderation::play::sanctions::{LiftRequest, LiftedSanctions};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Unmuted {
    unmuted: bool,
    /// Ids of the mutes that were lifted; there may be none.
    lifted: Vec<SanctionId>,
    /// With `place_id` or `id`: another mute is still in force there.
    still_muted: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("unmute", "Lift a user's mutes")
        .about("Lifts all of them without `place_id` and `id`. Succeeds even if there was no mute.")
        .body::<LiftRequest>()
        .data::<Unmuted>()
        .message("user unmuted")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let answer = |LiftedSanctions { ids, still }| {
        Reply::data(&Unmuted { unmuted: true, lifted: ids, still_muted: still })
    };
    lift(call, SanctionKind::Mute, answer).await
}
