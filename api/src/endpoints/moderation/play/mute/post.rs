//! POST /moderation/:guildId/play/mute

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::execution::impose;
use crate::endpoints::moderation::play::sanctions::{Imposed, SanctionRequest};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Muted {
    id: SanctionId,
    muted: bool,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change, to be sent as `since`.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
}

pub(crate) fn operation() -> Operation {
    Operation::new("mute", "Mute a user")
        .about("Replaces an active mute of the same user and place.")
        .body::<SanctionRequest>()
        .data::<Muted>()
        .message("user muted")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let answer =
        |Imposed { id, expires_at, revision }| Reply::data(&Muted { id, muted: true, expires_at, revision });
    impose(call, SanctionKind::Mute, answer).await
}
