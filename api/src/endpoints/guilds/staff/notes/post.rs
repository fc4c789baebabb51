//! POST /guilds/:guildId/staff/notes

use entities::ChatId;
use entities::staff_note::{self, NewNote};

use crate::endpoints::guilds::staff::notes::record::{Note, NoteBody};
use crate::endpoints::prelude::*;
use crate::endpoints::staff::staff_check::require_staff;

request! {
    pub(crate) struct NoteRequest {
        staff_id: ChatId,
        #[example("Promising; mentor next month.")]
        body: NoteBody,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createNote", "Add a note about a staff member")
        .body::<NoteRequest>()
        .data::<Note>()
        .message("note added")
        .refuses(404, &["not_found"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let NoteRequest { staff_id: staff, body } = call.body()?;
    call.caller.decides_about(staff)?;
    let mut work = UnitOfWork::begin(&call).await?;
    require_staff(&call, &work, staff).await?;
    call.room_for(work.tx(), Cap::Notes, 1).await?;
    let new = NewNote { staff_id: staff, author_id: call.caller.user(), body: body.0 };
    let added = staff_note::add(work.tx(), call.guild(), new, work.now()).await?;
    let note = Note::from(&added);
    work.audit("notes.create", added.note_id, json!({ "after": note }));
    work.commit(Reply::data(&note)?.with_message("note added")).await
}
