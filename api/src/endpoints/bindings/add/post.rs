//! POST /bindings/add

use entities::binding::{self, Rule};

use crate::endpoints::bindings::change::{BindingRequest, begin, duplicate};
use crate::endpoints::prelude::*;

/// Maximum bindings of a guild: each adds a check of every member to a bulk sync.
const MAX: usize = 500;

pub(crate) fn operation() -> Operation {
    Operation::new("addBinding", "Add a binding")
        .body::<BindingRequest>()
        .data::<Created<entities::BindingId>>()
        .message("binding added")
        .refuses(409, &["binding_exists"])
        .refuses(422, &["too_many_bindings"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rule: Rule = call.body::<BindingRequest>()?.into();
    let work = begin(&call).await?;
    if binding::list(work.tx(), call.guild()).await?.len() >= MAX {
        return Err(ApiError::rule("too_many_bindings", format!("a guild may have at most {MAX} bindings")));
    }
    let added = binding::add(work.tx(), call.guild(), rule, work.now()).await?;
    let id = added.ok_or_else(duplicate)?.binding_id;
    work.audit("bindings.add", id, json!({ "after": rule })).await?;
    work.commit(Reply::data(&Created { id })?.with_message("binding added")).await
}
