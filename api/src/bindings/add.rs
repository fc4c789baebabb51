//! POST /bindings/add

use entities::{BindingId, binding};
use serde::Serialize;
use serde_json::json;

use crate::bindings::{announce, begin, duplicate, rule};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Bindings a guild may have: each costs a sync of all a look at every member.
const MAX: usize = 500;

#[derive(Serialize)]
struct Added {
    id: BindingId,
}

pub(crate) async fn add(call: Call) -> Result<Reply, ApiError> {
    let rule = rule(&call.fields)?;
    let transaction = begin(&call).await?;
    if binding::list(&transaction, call.guild()).await?.len() >= MAX {
        return Err(ApiError::rule("too_many_bindings", format!("a guild may have at most {MAX} bindings")));
    }
    let added = binding::add(&transaction, call.guild(), rule, call.now()).await?;
    let id = added.ok_or_else(duplicate)?.binding_id;
    call.audit(&transaction, "bindings.add", id, json!({ "after": rule })).await?;
    let reply = call.commit(transaction, Reply::data(&Added { id })?.with_message("binding added")).await?;
    announce(&call);
    Ok(reply)
}
