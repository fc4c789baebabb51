//! PUT /guilds/:guildId/staff/members/:chatId

use entities::staff_member::{self, Model};
use entities::{ChatId, RoleId, staff_role};
use runtime::Event;

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::members::membership::{self, BY_ROLE, StaffMembership};
use crate::endpoints::prelude::*;
use crate::request::moment::Moment;

request! {
    pub(crate) struct StaffMemberRequest {
        role_id: RoleId,
        /// If absent: now for a new staff member, unchanged for an existing one.
        joined_at: Option<Moment>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("putStaffMember", "Make a chat user staff, or change their role")
        .body::<StaffMemberRequest>()
        .data::<StaffMembership>()
        .message("staff member added")
        .refuses(409, &[BY_ROLE])
        .refuses(422, &["unknown_role", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    let StaffMemberRequest { role_id, joined_at } = call.body()?;
    let mut work = UnitOfWork::begin(&call).await?;
    // Locked, so that no other request deletes the role meanwhile.
    if staff_role::find_for_update(work.tx(), call.guild(), role_id).await?.is_none() {
        return Err(ApiError::rule("unknown_role", "no staff role of this guild has this `role_id`"));
    }
    let before = staff_member::find_for_update(work.tx(), call.guild(), chat).await?;
    membership::check(work.tx(), before.as_ref()).await?;
    if before.is_none() {
        call.room_for(work.tx(), Cap::StaffMembers, 1).await?;
    }
    let known = before.as_ref().map(|member| member.joined_at);
    let joined_at = joined_at.map(|moment| moment.0).or(known).unwrap_or_else(|| work.now());
    let member = Model { guild_id: call.guild(), chat_id: chat, role_id, joined_at, by_role: false };
    let after = StaffMembership::from(&member);
    let changes = match &before {
        None => Some(json!({ "after": after })),
        Some(before) => audit::changes(&StaffMembership::from(before), &after)?,
    };
    let shown = Reply::data(&after)?;
    let Some(changes) = changes else {
        return Ok(shown.with_message("nothing to change: the staff member is like that already"));
    };
    staff_member::put(work.tx(), member).await?;
    work.announce([Event::StaffChanged { guild: call.guild() }]);
    work.audit("staff_members.put", chat, changes);
    let message = if before.is_some() { "staff member updated" } else { "staff member added" };
    work.commit(shown.with_message(message)).await
}
