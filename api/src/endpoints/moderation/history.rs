//! Shared by the lists of all bans and all mutes, past and present, newest first.

use entities::sanction::Model;
use entities::sanction::history::{self, Filter};
use entities::{ChatId, Moderator, Person, PlaceId, SanctionId, SanctionKind, Subject};

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

/// The page that the call asks for, and its rows.
pub(crate) async fn read(
    call: &Call,
    kind: SanctionKind,
) -> Result<(Page<SanctionId>, Vec<Model>), ApiError> {
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
