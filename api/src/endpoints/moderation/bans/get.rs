//! GET /moderation/:guildId/bans, and the same for mutes: all of them, past and present, newest first.

use entities::sanction::history::{self, Filter};
use entities::sanction::{MirrorState, Model};
use entities::{ChatId, KeyId, Lifted, Moderator, Person, PlaceId, SanctionId, SanctionKind, Subject};

use crate::endpoints::prelude::*;
use crate::request::page::Page;
use crate::request::values::OrTest;

request! {
    pub(crate) struct HistoryQuery {
        identifier: Option<OrTest<Subject>>,
        active: Option<bool>,
        moderator_id: Option<Moderator>,
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Bans {
    bans: Vec<Ban>,
    #[schema(required)]
    next_cursor: Option<SanctionId>,
}

answer! {
    pub(crate) struct Ban from row: Model, at now {
        id: SanctionId = row.sanction_id,
        /// For people: bans and mutes of a guild are counted, each by itself. One that replaces another keeps its number.
        #[schema(minimum = 1, example = 14)]
        number: i64,
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
        /// Why a moderator lifted it.
        #[schema(required, example = "appeal accepted")]
        lift_reason: Option<String>,
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

#[derive(Serialize, ToSchema)]
pub(crate) struct Mutes {
    mutes: Vec<Mute>,
    #[schema(required)]
    next_cursor: Option<SanctionId>,
}

answer! {
    pub(crate) struct Mute from row: Model, at now {
        id: SanctionId = row.sanction_id,
        /// For people: bans and mutes of a guild are counted, each by itself. One that replaces another keeps its number.
        #[schema(minimum = 1, example = 14)]
        number: i64,
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
        /// Why a moderator lifted it.
        #[schema(required, example = "appeal accepted")]
        lift_reason: Option<String>,
    }
}

pub(crate) fn operation(kind: SanctionKind) -> Operation {
    let operation = match kind {
        SanctionKind::Ban => Operation::new("listBans", "All bans, newest first").data::<Bans>(),
        SanctionKind::Mute => Operation::new("listMutes", "All mutes, newest first").data::<Mutes>(),
    };
    operation.paged::<SanctionId>().query::<HistoryQuery>()
}

pub(crate) async fn handle(call: Call, kind: SanctionKind) -> Result<Reply, ApiError> {
    let (page, rows) = read(&call, kind).await?;
    let now = call.now();
    match kind {
        SanctionKind::Ban => {
            let bans: Vec<_> = rows.iter().map(|row| Ban::new(row, now)).collect();
            page.reply(bans, |ban| ban.id, |bans, next_cursor| Bans { bans, next_cursor })
        }
        SanctionKind::Mute => {
            let mutes: Vec<_> = rows.iter().map(|row| Mute::new(row, now)).collect();
            page.reply(mutes, |mute| mute.id, |mutes, next_cursor| Mutes { mutes, next_cursor })
        }
    }
}

/// The page that the call asks for, and its rows.
async fn read(call: &Call, kind: SanctionKind) -> Result<(Page<SanctionId>, Vec<Model>), ApiError> {
    let page = call.page::<SanctionId>()?;
    let HistoryQuery { identifier, active, moderator_id, place_id } = call.query()?;
    let person = match identifier {
        Some(OrTest::Player(subject)) => Some(Person::resolve(call.read(), call.guild(), subject).await?),
        Some(OrTest::Test(_)) => Some(Person::default()),
        None => None,
    };
    let moderator = match moderator_id {
        Some(moderator) => Some(noted(call, moderator).await?),
        None => None,
    };
    let filter = Filter { person, active, moderator, place: place_id, ..Filter::of(kind) };
    let rows = history::list(call.read(), call.guild(), filter, page.to_fetch(), call.now()).await?;
    Ok((page, rows))
}

/// The id under which the moderator's sanctions are stored.
async fn noted(call: &Call, moderator: Moderator) -> Result<ChatId, ApiError> {
    let Some(play) = moderator.play() else { return Ok(moderator.noted(|_| None)) };
    let person = Person::resolve(call.read(), call.guild(), Subject::Play(play)).await?;
    Ok(moderator.noted(|_| person.chat))
}
