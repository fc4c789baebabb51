//! DELETE /bindings/remove/:bindingId

use entities::{BindingId, binding};
use serde_json::json;

use crate::bindings::{announce, begin};
use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let id: BindingId = call.path("bindingId", &BindingId::allowed())?;
    let transaction = begin(&call).await?;
    let found = binding::find_for_update(&transaction, call.guild(), id).await?;
    let found = found.ok_or_else(|| ApiError::not_found("binding"))?;
    binding::delete(&transaction, call.guild(), id).await?;
    call.audit(&transaction, "bindings.remove", id, json!({ "before": found.rule() })).await?;
    let reply = call.commit(transaction, Reply::message("binding removed")).await?;
    announce(&call);
    Ok(reply)
}
