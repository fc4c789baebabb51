//! GET /moderation/:guildId/bans: all bans, past and present, newest first.

use entities::sanction::{MirrorState, Model};
use entities::{ChatId, KeyId, Lifted, PlaceId, SanctionId, SanctionKind, Subject};

use crate::endpoints::moderation::history::{self, HistoryQuery};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Bans {
    bans: Vec<Ban>,
    #[schema(required)]
    next_cursor: Option<SanctionId>,
}

answer! {
    pub(crate) struct Ban from row: Model, at now {
        id: SanctionId = row.sanction_id,
        /// The account that the sanction names.
        #[schema(required)]
        identifier: Option<Subject> = row.subject(),
        #[schema(example = "exploiting")]
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
        /// State of the copy on the chat platform. `held`: its key has used up `mirror_bans_per_hour`, and
        /// the copy must be allowed in the console. `protected`: the user is the owner, an admin, staff or a
        /// bot, who are never banned there. `already_banned`: the user was banned there before, and the end
        /// of this ban does not lift that ban.
        mirror_state: MirrorState,
        #[schema(required)]
        mirror_chat_id: Option<ChatId>,
        #[schema(required, example = "the bot may not ban")]
        mirror_error: Option<String>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listBans", "All bans, newest first")
        .paged::<SanctionId>()
        .query::<HistoryQuery>()
        .data::<Bans>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (page, rows) = history::read(&call, SanctionKind::Ban).await?;
    let now = call.now();
    let bans: Vec<_> = rows.iter().map(|row| Ban::new(row, now)).collect();
    page.reply(bans, |ban| ban.id, |bans, next_cursor| Bans { bans, next_cursor })
}
