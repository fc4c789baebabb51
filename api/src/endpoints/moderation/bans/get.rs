//! GET /moderation/:guildId/bans: all bans, past and present, newest first.

use entities::sanction::history::{self, Filter};
use entities::sanction::{MirrorState, Model};
use entities::{ChatId, Lifted, Person, PlaceId, SanctionId, SanctionKind, Subject, Timestamp};

use crate::endpoints::prelude::*;

request! {
    pub(crate) struct BansQuery {
        identifier: Option<Subject>,
        active: Option<bool>,
        moderator_id: Option<ChatId>,
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Bans {
    bans: Vec<Ban>,
    #[schema(required)]
    next_cursor: Option<SanctionId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Ban {
    id: SanctionId,
    /// The account that was named.
    #[schema(required)]
    identifier: Option<Subject>,
    #[schema(example = "exploiting")]
    reason: String,
    moderator_id: ChatId,
    /// Null: every game of the guild.
    #[schema(required)]
    place_id: Option<PlaceId>,
    active: bool,
    created_at: Seconds,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    #[schema(required)]
    lifted_at: Option<Seconds>,
    #[schema(required)]
    lifted_how: Option<Lifted>,
    #[schema(required)]
    lifted_by: Option<ChatId>,
    /// Of the copy on the chat platform. `already_banned`: somebody else banned the user there, and the end of this ban
    /// does not lift that.
    mirror_state: MirrorState,
    #[schema(required)]
    mirror_chat_id: Option<ChatId>,
    #[schema(required, example = "the bot may not ban")]
    mirror_error: Option<String>,
}

impl Ban {
    fn new(row: Model, now: Timestamp) -> Self {
        Self {
            id: row.sanction_id,
            identifier: row.subject(),
            active: row.in_force(now),
            reason: row.reason,
            moderator_id: row.moderator_id,
            place_id: row.place_id,
            created_at: Seconds(row.created_at),
            expires_at: row.expires_at.map(Seconds),
            lifted_at: row.lifted_at.map(Seconds),
            lifted_how: row.lifted_how,
            lifted_by: row.lifted_by,
            mirror_state: row.mirror_state,
            mirror_chat_id: row.mirror_chat_id,
            mirror_error: row.mirror_error,
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listBans", "Every ban there was, newest first")
        .paged::<SanctionId>()
        .query::<BansQuery>()
        .data::<Bans>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<SanctionId>()?;
    let BansQuery { identifier, active, moderator_id, place_id } = call.query()?;
    let person = match identifier {
        Some(subject) => Some(Person::resolve(call.read(), call.guild(), subject).await?),
        None => None,
    };
    let filter = Filter { kind: SanctionKind::Ban, person, active, moderator: moderator_id, place: place_id };
    let now = call.now();
    let rows = history::list(call.read(), call.guild(), filter, page.to_fetch(), now).await?;
    let bans: Vec<_> = rows.into_iter().map(|row| Ban::new(row, now)).collect();
    page.reply(bans, |ban| ban.id, |bans, next_cursor| Bans { bans, next_cursor })
}
