//! A staff role as the API shows it: what staff of the role may do (docs/rules.md 6).

use entities::RoleId;
use entities::staff_role::{Model, Permissions};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffRole {
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

impl From<&Model> for StaffRole {
    fn from(row: &Model) -> Self {
        Self {
            role_id: row.role_id,
            role_name: row.role_name.clone(),
            permissions: row.permissions.clone(),
            play_permissions: row.play_permissions.clone(),
        }
    }
}
