//! POST /bindings/add

use entities::binding;

use crate::endpoints::bindings::change::{
    BindingRequest, EMPTY_RANGE, FOREIGN_FIELD, NO_RANK, begin, check_giver, duplicate,
};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("addBinding", "Add a binding")
        .body::<BindingRequest>()
        .data::<Created<entities::BindingId>>()
        .message("binding added")
        .refuses(409, &["binding_exists"])
        .refuses(422, &["too_many", FOREIGN_FIELD, EMPTY_RANGE, NO_RANK])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rule = call.body::<BindingRequest>()?.rule()?;
    check_giver(&call, "role_id", rule.role_id, true).await?;
    let mut work = begin(&call).await?;
    call.room_for(work.tx(), Cap::Bindings, 1).await?;
    let added = binding::add(work.tx(), call.guild(), rule.clone(), work.now()).await?;
    let id = added.ok_or_else(duplicate)?.id;
    work.audit("bindings.add", id, json!({ "after": rule }));
    work.commit(Reply::data(&Created { id })?.with_message("binding added")).await
}
