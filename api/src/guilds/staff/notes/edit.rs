//! PATCH /guilds/:guildId/staff/notes/:noteId: another text; its author stays.

use entities::{NoteId, staff_note};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::notes::{Body, Note, unknown};
use crate::guilds::staff::{ID, nothing_given};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn edit(call: Call) -> Result<Reply, ApiError> {
    let id: NoteId = call.path("noteId", ID)?;
    let body = call.fields.changed::<Body>("body")?.ok_or_else(|| nothing_given("`body`"))?.0;
    let transaction = call.begin().await?;
    let before = staff_note::find_for_update(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    if before.body == body {
        let reply = Reply::data(&Note::from(&before))?;
        return Ok(reply.with_message("nothing to change: the note is like that already"));
    }
    let edited = staff_note::edit(&transaction, (call.guild(), id), &body, call.now()).await?;
    let edited = edited.ok_or_else(unknown)?;
    let changes = json!({ "before": { "body": before.body }, "after": { "body": body } });
    call.audit(&transaction, "notes.update", id, changes).await?;
    call.commit(transaction, Reply::data(&Note::from(&edited))?.with_message("note updated")).await
}
