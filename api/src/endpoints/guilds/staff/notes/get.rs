//! GET /guilds/:guildId/staff/notes
//!
//! The list itself is the data, without a cursor: the header `Link` of a page names the next one.

use entities::{ChatId, NoteId, staff_note};

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
    let rows = staff_note::list(call.read(), call.guild(), staff_id, page.to_fetch()).await?;
    page.reply(rows, |row| row.note_id, |notes: Vec<Note>, _| notes)
}
