//! A staff member's role, as the API shows it after a change (docs/rules.md 6).

use entities::staff_member::Model;
use entities::{ChatId, Conn, RoleId, guild};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct StaffMembership from row: Model {
        chat_id: ChatId,
        role_id: RoleId,
        joined_at: Seconds,
        /// Staff because of the role on the chat platform, and no longer without it (`staff_by_role`).
        by_role: bool,
    }
}

/// The role on the chat platform decides.
pub(crate) const BY_ROLE: &str = "by_role";

/// Whether a member may be changed here: of who is staff by a role, only the role decides while the guild wants that.
pub(crate) async fn check(conn: &impl Conn, member: Option<&Model>) -> Result<(), ApiError> {
    let Some(member) = member.filter(|member| member.by_role) else { return Ok(()) };
    if !guild::find(conn, member.guild_id).await?.is_some_and(|guild| guild.staff_by_role) {
        return Ok(());
    }
    Err(ApiError::conflict(
        BY_ROLE,
        "this member is staff by a role on the chat platform: give or take the role there, or turn `staff_by_role` off",
    ))
}
