//! A note about a staff member as the API shows it (docs/rules.md 6).

use entities::staff_note::Model;
use entities::{ChatId, NoteId};

use crate::endpoints::prelude::*;

/// Longer than other texts (docs/rules.md 3).
pub(crate) type NoteBody = Text<4000>;

answer! {
    pub(crate) struct Note from row: Model {
        id: NoteId = row.note_id,
        staff_id: ChatId,
        #[schema(example = "Promising; mentor next month.")]
        body: String,
        /// The owner of the key that added the note.
        author_id: ChatId,
        created_at: Seconds,
        updated_at: Seconds,
    }
}
