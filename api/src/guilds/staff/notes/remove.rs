//! DELETE /guilds/:guildId/staff/notes/:noteId

use entities::{NoteId, staff_note};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::notes::{Note, unknown};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let id: NoteId = call.path("noteId", ID)?;
    let transaction = call.begin().await?;
    let removed = staff_note::delete(&transaction, call.guild(), id).await?.ok_or_else(unknown)?;
    call.audit(&transaction, "notes.delete", id, json!({ "before": Note::from(&removed) })).await?;
    call.commit(transaction, Reply::message("note deleted")).await
}
