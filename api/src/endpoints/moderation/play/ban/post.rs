//! POST /moderation/:guildId/play/ban

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::impose::{Imposed, SanctionRequest, impose};
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
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let reply = |Imposed { id, expires_at, revision }| {
        let data = Banned { id, banned: true, expires_at, revision };
        Ok(Reply::data(&data)?.with_message("user banned"))
    };
    impose(&call, SanctionKind::Ban, reply).await
}
