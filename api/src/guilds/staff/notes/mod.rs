//! `/guilds/:guildId/staff/notes` (docs/rules.md 6): notes about staff members.

mod create;
mod edit;
mod list;
mod remove;

pub(crate) use create::create;
pub(crate) use edit::edit;
use entities::staff_note::Model;
use entities::{ChatId, NoteId};
pub(crate) use list::list;
pub(crate) use remove::remove;
use serde::Serialize;

use crate::fields::Text;
use crate::http::error::ApiError;
use crate::time::Seconds;

/// Longer than other texts (docs/rules.md 3).
type Body = Text<4000>;

#[derive(Serialize)]
struct Note {
    id: NoteId,
    staff_id: ChatId,
    body: String,
    author_id: ChatId,
    created_at: Seconds,
    updated_at: Seconds,
}

impl From<&Model> for Note {
    fn from(row: &Model) -> Self {
        Self {
            id: row.note_id,
            staff_id: row.staff_id,
            body: row.body.clone(),
            author_id: row.author_id,
            created_at: Seconds(row.created_at),
            updated_at: Seconds(row.updated_at),
        }
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("note")
}
