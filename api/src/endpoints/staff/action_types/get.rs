//! GET /staff/action-types

use std::future::{Ready, ready};

use entities::staff_action::ActionType;

use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listActionTypes", "All types of staff action").data_list::<ActionType>()
}

pub(crate) fn handle(_: Call) -> Ready<Result<Reply, ApiError>> {
    ready(Reply::data(ActionType::ALL))
}
