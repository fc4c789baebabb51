//! A staff role as the API shows it: what staff of the role may do (docs/rules.md 6).

use entities::RoleId;
use entities::staff_role::{Model, Permissions};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct StaffRole from row: Model {
        role_id: RoleId,
        #[schema(example = "Moderator")]
        role_name: String,
        /// On the chat side.
        #[schema(value_type = Vec<String>, example = json!(["moderation.read"]))]
        permissions: Permissions,
        /// In games.
        #[schema(value_type = Vec<String>, example = json!(["kick"]))]
        play_permissions: Permissions,
    }
}
