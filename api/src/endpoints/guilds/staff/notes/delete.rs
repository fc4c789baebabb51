//! DELETE /guilds/:guildId/staff/notes/:noteId

use entities::{NoteId, staff_note};

use crate::endpoints::guilds::staff::notes::record::Note;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteNote", "Delete a note").message("note deleted")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: NoteId = call.path("noteId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let removed = staff_note::delete(work.tx(), call.guild(), id).await?.or_not_found("note")?;
    call.caller.decides_about(removed.staff_id)?;
    work.audit("notes.delete", id, json!({ "before": Note::from(&removed) }));
    work.commit(Reply::message("note deleted")).await
}
