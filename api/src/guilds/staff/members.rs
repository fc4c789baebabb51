//! PUT and DELETE /guilds/:guildId/staff/members/:chatId (docs/rules.md 6): who is staff, with which role.

use entities::staff_member::{self, Model};
use entities::{ChatId, RoleId, staff_role, staff_session};
use runtime::Event;
use serde::Serialize;
use serde_json::json;

use crate::audit;
use crate::call::Call;
use crate::fields::{Field, Moment};
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::staff::not_staff;
use crate::staff::play::catch_up;
use crate::time::Seconds;

#[derive(Serialize)]
struct Member {
    chat_id: ChatId,
    role_id: RoleId,
    joined_at: Seconds,
}

impl From<&Model> for Member {
    fn from(row: &Model) -> Self {
        Self { chat_id: row.chat_id, role_id: row.role_id, joined_at: Seconds(row.joined_at) }
    }
}

/// `joined_at` that is not given is now for who was not staff, and stays for who was.
pub(crate) async fn put(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId", &ChatId::allowed())?;
    let role: RoleId = call.fields.required("role_id")?;
    let joined_at = call.fields.optional::<Moment>("joined_at")?.map(|moment| moment.0);
    let transaction = call.begin().await?;
    // Locked, so that it is not deleted meanwhile.
    if staff_role::find_for_update(&transaction, call.guild(), role).await?.is_none() {
        return Err(ApiError::rule("unknown_role", "no staff role of this guild has this `role_id`"));
    }
    let before = staff_member::find_for_update(&transaction, call.guild(), chat).await?;
    let known = before.as_ref().map(|member| member.joined_at);
    let joined_at = joined_at.or(known).unwrap_or_else(|| call.now());
    let member = Model { guild_id: call.guild(), chat_id: chat, role_id: role, joined_at };
    let changes = match &before {
        None => Some(json!({ "after": Member::from(&member) })),
        Some(before) => audit::changes(&Member::from(before), &Member::from(&member))?,
    };
    let shown = Reply::data(&Member::from(&member))?;
    let Some(changes) = changes else {
        return Ok(shown.with_message("nothing to change: the staff member is like that already"));
    };
    staff_member::put(&transaction, member).await?;
    call.audit(&transaction, "staff_members.put", chat, changes).await?;
    let message = if before.is_some() { "staff member updated" } else { "staff member added" };
    call.commit(transaction, shown.with_message(message)).await
}

/// Ends the open session; what was written about and by them stays.
pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId", &ChatId::allowed())?;
    // The open session ends at its last heartbeat, which may not be written yet.
    catch_up(&call).await?;
    let transaction = call.begin().await?;
    let removed = staff_member::delete(&transaction, call.guild(), chat).await?.ok_or_else(not_staff)?;
    let ended = staff_session::end_open(&transaction, call.guild(), chat).await?;
    let before = json!({ "before": Member::from(&removed) });
    call.audit(&transaction, "staff_members.delete", chat, before).await?;
    let reply = call.commit(transaction, Reply::message("staff member removed")).await?;
    if let Some(session) = ended {
        let event = Event::SessionEnded { guild: call.guild(), session: session.session_id };
        call.app.context.events.publish(event);
    }
    Ok(reply)
}
