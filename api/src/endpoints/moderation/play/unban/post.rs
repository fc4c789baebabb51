//! POST /moderation/:guildId/play/unban, and the same for mutes.

use entities::SanctionKind;

use crate::endpoints::moderation::own::check_other;
use crate::endpoints::moderation::play::batch;
use crate::endpoints::prelude::*;
use crate::state::orders::{LiftRequest, Request, Unbanned, Unmuted};

pub(crate) fn operation(kind: SanctionKind) -> Operation {
    let operation = match kind {
        SanctionKind::Ban => Operation::new("unban", "Lift a user's bans")
            .about("Lifts all of them without `place_id` and `id`. Succeeds even if there was no ban.")
            .data::<Unbanned>()
            .message("user unbanned"),
        SanctionKind::Mute => Operation::new("unmute", "Lift a user's mutes")
            .about("Lifts all of them without `place_id` and `id`. Succeeds even if there was no mute.")
            .data::<Unmuted>()
            .message("user unmuted"),
    };
    operation.body::<LiftRequest>()
}

pub(crate) async fn handle(call: Call, kind: SanctionKind) -> Result<Reply, ApiError> {
    let request: LiftRequest = call.body()?;
    check_other(&call, &[request.identifier]).await?;
    batch::execute(&call, kind, Request::Lifted(request)).await
}
