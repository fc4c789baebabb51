//! GET /guilds/:guildId/staff/notes
//!
//! The list itself is the data, without a cursor: a page with fewer notes than asked for is the last one.

use entities::{ChatId, NoteId, Page, staff_note};

use crate::endpoints::guilds::staff::notes::record::Note;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct NoteQuery {
        /// Only those about this staff member.
        staff_id: Option<ChatId>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listNotes", "Notes, newest first")
        .paged_if_asked::<NoteId>()
        .query::<NoteQuery>()
        .data_list::<Note>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<NoteId>()?;
    let NoteQuery { staff_id } = call.query()?;
    let rows = staff_note::list(
        call.read(),
        call.guild(),
        staff_id,
        Page { cursor: page.cursor, limit: page.limit },
    )
    .await?;
    Reply::data(&rows.iter().map(Note::from).collect::<Vec<_>>())
}
