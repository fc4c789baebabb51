//! GET /staff/action-types

use entities::staff_action::ActionType;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn action_types(_: Call) -> Result<Reply, ApiError> {
    Reply::data(ActionType::ALL)
}
