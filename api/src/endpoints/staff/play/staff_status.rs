//! A player's staff status and permissions in the game (docs/rules.md 6).

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId};

use crate::endpoints::prelude::*;

/// A player who is not staff has no permissions; that is no error.
#[derive(Serialize, ToSchema)]
pub(crate) struct StaffStatus {
    is_staff: bool,
    /// Null: not staff.
    #[schema(required)]
    chat_id: Option<ChatId>,
    /// Null: not staff.
    #[schema(required, example = "Moderator")]
    role_name: Option<String>,
    /// In games.
    #[schema(example = json!(["kick"]))]
    permissions: Vec<String>,
}

impl From<Option<Described>> for StaffStatus {
    fn from(member: Option<Described>) -> Self {
        let Some(member) = member else {
            return Self { is_staff: false, chat_id: None, role_name: None, permissions: Vec::new() };
        };
        Self {
            is_staff: true,
            chat_id: Some(member.chat_id),
            role_name: Some(member.role_name),
            permissions: member.play_permissions.0,
        }
    }
}

impl StaffStatus {
    pub(crate) async fn of(call: &Call, player: PlayId) -> Result<Self, ApiError> {
        Ok(staff_directory::find_by_play(call.read(), call.guild(), player, call.now()).await?.into())
    }
}
