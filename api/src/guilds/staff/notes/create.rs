//! POST /guilds/:guildId/staff/notes

use entities::staff_note::{self, NewNote};
use serde_json::json;

use crate::call::Call;
use crate::guilds::staff::notes::{Body, Note};
use crate::guilds::staff::require_staff;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let staff = call.fields.required("staff_id")?;
    let body = call.fields.required::<Body>("body")?.0;
    let transaction = call.begin().await?;
    require_staff(&call, &transaction, staff).await?;
    let new = NewNote { staff, author: call.key.owner(), body };
    let added = staff_note::add(&transaction, call.guild(), new, call.now()).await?;
    let note = Note::from(&added);
    call.audit(&transaction, "notes.create", added.note_id, json!({ "after": note })).await?;
    call.commit(transaction, Reply::data(&note)?.with_message("note added")).await
}
