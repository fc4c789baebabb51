//! A staff member's role, as the API shows it after a change (docs/rules.md 6).

use entities::staff_member::Model;
use entities::{ChatId, RoleId};
use jobs::staff_by_role;
use sea_orm::ConnectionTrait;

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

/// Whether a member may be changed here.
pub(crate) async fn check<C: ConnectionTrait>(conn: &C, member: Option<&Model>) -> Result<(), ApiError> {
    if !staff_by_role::is_decided(conn, member).await? {
        return Ok(());
    }
    Err(ApiError::conflict(
        BY_ROLE,
        "this member is staff by a role on the chat platform: give or take the role there, or turn `staff_by_role` off",
    ))
}
