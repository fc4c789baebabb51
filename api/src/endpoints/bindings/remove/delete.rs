//! DELETE /bindings/remove/:bindingId

use entities::{BindingId, binding};

use crate::endpoints::bindings::change::{begin, check_giver};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("removeBinding", "Remove a binding").message("binding removed")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: BindingId = call.path("bindingId")?;
    let known = binding::find(call.read(), call.guild(), id).await?.or_not_found("binding")?;
    check_giver(&call, "role_id", known.rule.role_id, false).await?;
    let mut work = begin(&call).await?;
    let found = binding::find(work.tx(), call.guild(), id).await?.or_not_found("binding")?;
    binding::delete(work.tx(), call.guild(), id).await?;
    work.audit("bindings.remove", id, json!({ "before": found.rule }));
    work.commit(Reply::message("binding removed")).await
}
