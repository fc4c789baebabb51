//! POST /moderation/:guildId/play/ban, and the same for mutes.

use entities::SanctionKind;

use crate::endpoints::moderation::own::check_other;
use crate::endpoints::moderation::play::batch;
use crate::endpoints::prelude::*;
use crate::state::orders::{Banned, Muted, Request, SanctionRequest};

pub(crate) fn operation(kind: SanctionKind) -> Operation {
    let operation = match kind {
        SanctionKind::Ban => Operation::new("ban", "Ban a user")
            .about("Replaces an active ban of the same user and place. A ban of every game is mirrored to the chat platform.")
            .data::<Banned>()
            .message("user banned"),
        SanctionKind::Mute => Operation::new("mute", "Mute a user")
            .about("Replaces an active mute of the same user and place.")
            .data::<Muted>()
            .message("user muted"),
    };
    operation.body::<SanctionRequest>().refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call, kind: SanctionKind) -> Result<Reply, ApiError> {
    let request: SanctionRequest = call.body()?;
    check_other(&call, &[request.identifier]).await?;
    call.room_for(call.read(), Cap::Sanctions, 1).await?;
    batch::execute(&call, kind, Request::Imposed(request)).await
}
