//! A staff member's role, as the API shows it after a change (docs/rules.md 6).

use entities::staff_member::Model;
use entities::{ChatId, RoleId};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct StaffMembership from row: Model {
        chat_id: ChatId,
        role_id: RoleId,
        joined_at: Seconds,
    }
}
