//! POST /moderation/:guildId/play/unban

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::execution::lift;
use crate::endpoints::moderation::play::sanctions::{LiftRequest, LiftedSanctions};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Unbanned {
    unbanned: bool,
    /// Ids of the bans that were lifted; there may be none.
    lifted: Vec<SanctionId>,
    /// With `place_id` or `id`: another ban is still in force there.
    still_banned: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("unban", "Lift a user's bans")
        .about("Lifts all of them without `place_id` and `id`. Succeeds even if there was no ban.")
        .body::<LiftRequest>()
        .data::<Unbanned>()
        .message("user unbanned")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let answer = |LiftedSanctions { ids, still }| {
        Reply::data(&Unbanned { unbanned: true, lifted: ids, still_banned: still })
    };
    lift(call, SanctionKind::Ban, answer).await
}
