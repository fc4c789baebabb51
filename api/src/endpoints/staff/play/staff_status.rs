//! A player's staff status and permissions in the game (docs/rules.md 6).

use entities::{ChatId, PlayId, staff_directory};

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

impl StaffStatus {
    pub(crate) async fn of(call: &Call, player: PlayId) -> Result<Self, ApiError> {
        let found = staff_directory::find_by_play(call.read(), call.guild(), player, call.now()).await?;
        Ok(match found {
            Some(member) => Self {
                is_staff: true,
                chat_id: Some(member.chat_id),
                role_name: Some(member.role_name),
                permissions: member.play_permissions.0,
            },
            None => Self { is_staff: false, chat_id: None, role_name: None, permissions: Vec::new() },
        })
    }
}
