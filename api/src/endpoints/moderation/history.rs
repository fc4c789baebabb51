//! Shared by the lists of all bans and all mutes, past and present, newest first.

use entities::sanction::Model;
use entities::sanction::history::{self, Filter};
use entities::{ChatId, Person, PlaceId, SanctionId, SanctionKind, Subject};

use crate::endpoints::prelude::*;
use crate::request::page::Page;

request! {
    pub(crate) struct HistoryQuery {
        identifier: Option<Subject>,
        active: Option<bool>,
        moderator_id: Option<ChatId>,
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
        Some(subject) => Some(Person::resolve(call.read(), call.guild(), subject).await?),
        None => None,
    };
    let filter = Filter { person, active, moderator: moderator_id, place: place_id, ..Filter::of(kind) };
    let rows = history::list(call.read(), call.guild(), filter, page.to_fetch(), call.now()).await?;
    Ok((page, rows))
}
