//! GET /moderation/:guildId/mutes: all mutes, past and present, newest first.

use entities::sanction::Model;
use entities::{ChatId, KeyId, Lifted, PlaceId, SanctionId, SanctionKind, Subject};

use crate::endpoints::moderation::history::{self, HistoryQuery};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Mutes {
    mutes: Vec<Mute>,
    #[schema(required)]
    next_cursor: Option<SanctionId>,
}

answer! {
    pub(crate) struct Mute from row: Model, at now {
        id: SanctionId = row.sanction_id,
        /// The account that the sanction names.
        #[schema(required)]
        identifier: Option<Subject> = row.subject(),
        #[schema(example = "spam")]
        reason: String,
        /// With a `key_id`, the user whom the key named, who was not signed in. `0`: the system.
        #[schema(value_type = String, pattern = "^(0|[1-9][0-9]{0,18})$", example = "812345678901234567")]
        moderator_id: ChatId,
        /// The id of the key that imposed it; null: a person at the console, or an operator's file.
        #[schema(required, value_type = Option<i64>, minimum = 1, example = 17)]
        key_id: Option<KeyId>,
        /// Null: every game of the guild.
        #[schema(required)]
        place_id: Option<PlaceId>,
        active: bool = row.in_force(now),
        created_at: Seconds,
        /// Null: never.
        #[schema(required)]
        expires_at: Option<Seconds> = row.expires_at.map(Seconds),
        #[schema(required)]
        lifted_at: Option<Seconds> = row.lifted_at.map(Seconds),
        #[schema(required)]
        lifted_how: Option<Lifted>,
        /// `0`: the system.
        #[schema(required, value_type = Option<String>, pattern = "^(0|[1-9][0-9]{0,18})$", example = "812345678901234567")]
        lifted_by: Option<ChatId>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listMutes", "All mutes, newest first")
        .paged::<SanctionId>()
        .query::<HistoryQuery>()
        .data::<Mutes>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (page, rows) = history::read(&call, SanctionKind::Mute).await?;
    let now = call.now();
    let mutes: Vec<_> = rows.iter().map(|row| Mute::new(row, now)).collect();
    page.reply(mutes, |mute| mute.id, |mutes, next_cursor| Mutes { mutes, next_cursor })
}
