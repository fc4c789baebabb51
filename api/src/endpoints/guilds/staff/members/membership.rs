//! A staff member's role, as the API shows it after a change (docs/rules.md 6).

use entities::staff_member::Model;
use entities::{ChatId, RoleId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffMembership {
    chat_id: ChatId,
    role_id: RoleId,
    joined_at: Seconds,
}

impl From<&Model> for StaffMembership {
    fn from(row: &Model) -> Self {
        Self { chat_id: row.chat_id, role_id: row.role_id, joined_at: Seconds(row.joined_at) }
    }
}
