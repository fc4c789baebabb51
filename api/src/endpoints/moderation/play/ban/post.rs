//! POST /moderation/:guildId/play/ban

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::execution::impose;
use crate::endpoints::moderation::play::sanctions::{Imposed, SanctionRequest};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Banned {
    id: SanctionId,
    banned: bool,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change, to be sent as `since`.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
}

pub(crate) fn operation() -> Operation {
    Operation::new("ban", "Ban a user")
        .about("Replaces an active ban of the same user and place. A ban of every game is mirrored to the chat platform.")
        .body::<SanctionRequest>()
        .data::<Banned>()
        .message("user banned")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let answer = |Imposed { id, expires_at, revision }| {
        Reply::data(&Banned { id, banned: true, expires_at, revision })
    };
    impose(call, SanctionKind::Ban, answer).await
}
