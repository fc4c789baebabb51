//! POST /staff/play/verify

use entities::PlayId;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::staff_status::StaffStatus;
use crate::request::values::OrTest;

request! {
    pub(crate) struct StaffVerification {
        play_id: OrTest<PlayId>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("verifyStaff", "Is a player staff?").body::<StaffVerification>().data::<StaffStatus>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let StaffVerification { play_id } = call.body()?;
    Reply::data(&StaffStatus::of(&call, play_id).await?)
}
