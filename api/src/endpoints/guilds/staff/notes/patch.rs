//! PATCH /guilds/:guildId/staff/notes/:noteId: replaces the text; the author stays.

use entities::{NoteId, staff_note};

use crate::endpoints::guilds::staff::notes::record::{Note, NoteBody};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct NotePatch {
        #[example("Promising; mentor next month.")]
        body: NoteBody,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateNote", "Change a note").body::<NotePatch>().data::<Note>().message("note updated")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: NoteId = call.path("noteId")?;
    let NotePatch { body } = call.body()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = staff_note::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("note")?;
    call.caller.decides_about(before.staff_id)?;
    if before.body == body.0 {
        let reply = Reply::data(&Note::from(&before))?;
        return Ok(reply.with_message("nothing to change: the note is like that already"));
    }
    let edited = staff_note::edit(work.tx(), call.guild(), id, &body.0, work.now()).await?;
    let edited = edited.or_not_found("note")?;
    let changes = json!({ "staff_id": before.staff_id, "before": { "body": before.body },
                          "after": { "body": edited.body } });
    work.audit("notes.update", id, changes);
    work.commit(Reply::data(&Note::from(&edited))?.with_message("note updated")).await
}
