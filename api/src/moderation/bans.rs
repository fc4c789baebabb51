//! GET /moderation/:guildId/bans: every ban there was, newest first. Beyond the interface.

use entities::sanction::history::{self, Filter};
use entities::sanction::{MirrorState, Model};
use entities::{ChatId, Lifted, Person, PlaceId, SanctionId, SanctionKind, Subject, Timestamp};
use serde::Serialize;

use super::{IDENTIFIER, PLACE};
use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

#[derive(Serialize)]
struct Bans {
    bans: Vec<Ban>,
    next_cursor: Option<SanctionId>,
}

#[derive(Serialize)]
struct Ban {
    id: SanctionId,
    /// The account the moderator named.
    identifier: Option<Subject>,
    reason: String,
    moderator_id: ChatId,
    place_id: Option<PlaceId>,
    active: bool,
    created_at: Seconds,
    expires_at: Option<Seconds>,
    lifted_at: Option<Seconds>,
    /// `lifted`, `superseded` or `expired`.
    lifted_how: Option<Lifted>,
    lifted_by: Option<ChatId>,
    /// Of the copy on the chat platform: `none`, `pending`, `done`, `already_banned` or `failed`.
    mirror_state: MirrorState,
    mirror_chat_id: Option<ChatId>,
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

pub(crate) async fn bans(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<SanctionId>::of(&call, "the `id` of a ban")?;
    let now = call.now();
    let filter = filter(&call).await?;
    let mut rows = history::list(call.read(), call.guild(), filter, page.to_fetch(), now).await?;
    let next_cursor = page.cut(&mut rows, |row| row.sanction_id);
    Reply::data(&Bans { bans: rows.into_iter().map(|row| Ban::new(row, now)).collect(), next_cursor })
}

async fn filter(call: &Call) -> Result<Filter, ApiError> {
    let subject: Option<Subject> = call.query.parsed("identifier", IDENTIFIER)?;
    let filter = Filter {
        kind: SanctionKind::Ban,
        person: None,
        active: call.query.parsed("active", &bool::allowed())?,
        moderator: call.query.parsed("moderator_id", &ChatId::allowed())?,
        place: call.query.parsed("place_id", PLACE)?,
    };
    let Some(subject) = subject else { return Ok(filter) };
    let person = Person::resolve(call.read(), call.guild(), subject).await?;
    Ok(Filter { person: Some(person), ..filter })
}
