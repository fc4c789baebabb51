//! GET /staff/action-types

use entities::staff_action::ActionType;

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listActionTypes", "All types of staff action")
        .paged_if_asked::<ActionType>()
        .data_list::<ActionType>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ActionType>()?;
    let types = page.after(ActionType::ALL.to_vec(), |known| *known)?;
    page.reply(types, |known| known.name(), |types: Vec<ActionType>, _| types)
}
