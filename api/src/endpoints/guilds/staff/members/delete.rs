//! DELETE /guilds/:guildId/staff/members/:chatId: ends the open session; records about and by the member stay.

use entities::{ChatId, staff_member};
use jobs::staff_by_role;

use crate::endpoints::guilds::staff::members::membership::{self, BY_ROLE, StaffMembership};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("removeStaffMember", "Remove a staff member")
        .about("Ends their open session. Strikes, notes, actions and other records about and by them stay.")
        .message("staff member removed")
        .refuses(409, &[BY_ROLE])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    // The open session ends at its last heartbeat, which may not be written yet.
    call.state.write_session_heartbeats().await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = staff_member::find_for_update(work.tx(), call.guild(), chat).await?;
    membership::check(work.tx(), before.as_ref()).await?;
    let removed = staff_by_role::end(&mut work, call.guild(), chat).await?.or_not_found("staff member")?;
    let before = json!({ "before": StaffMembership::from(&removed) });
    work.audit("staff_members.delete", chat, before);
    work.commit(Reply::message("staff member removed")).await
}
