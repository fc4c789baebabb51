//! GET /staff/action-types

use std::future::{Ready, ready};

use entities::staff_action::ActionType;

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listActionTypes", "All types of staff action")
        .paged_if_asked::<ActionType>()
        .data_list::<ActionType>()
}

pub(crate) fn handle(call: Call) -> Ready<Result<Reply, ApiError>> {
    ready(list(&call))
}

fn list(call: &Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ActionType>()?;
    let types = page.after(ActionType::ALL.to_vec(), |known| *known)?;
    page.reply(types, |known| known.name(), |types: Vec<ActionType>, _| types)
}
