//! GET /guilds/:guildId/staff/notes, newest first; `staff_id` narrows it. The list itself is the data, so a page ends
//! where fewer notes come than were asked for.

use entities::{ChatId, NoteId, staff_note};

use crate::call::Call;
use crate::fields::Field;
use crate::guilds::staff::ID;
use crate::guilds::staff::notes::Note;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<NoteId>::or_whole(&call, ID)?;
    let staff: Option<ChatId> = call.query.parsed("staff_id", &ChatId::allowed())?;
    let rows = staff_note::list(
        call.read(),
        call.guild(),
        staff,
        entities::Page { cursor: page.cursor, limit: page.limit },
    )
    .await?;
    Reply::data(&rows.iter().map(Note::from).collect::<Vec<_>>())
}
