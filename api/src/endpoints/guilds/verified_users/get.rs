//! GET /guilds/:guildId/verified-users

use crate::endpoints::guilds::linked_member::{LinkedMember, all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listVerifiedUsers", "Verified members as a plain list").data_list::<LinkedMember>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    Reply::data(&all(&call).await?)
}
