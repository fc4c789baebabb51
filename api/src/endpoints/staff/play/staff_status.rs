//! A player's staff status and permissions in the game (docs/rules.md 6).

use std::sync::Arc;

use entities::{ChatId, PlayId, staff_directory};

use crate::endpoints::prelude::*;
use crate::request::values::OrTest;

/// A player who is not staff has no permissions; that is not an error.
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
    pub(crate) async fn of(call: &Call, player: OrTest<PlayId>) -> Result<Self, ApiError> {
        let not_staff = Self { is_staff: false, chat_id: None, role_name: None, permissions: Vec::new() };
        let OrTest::Player(player) = player else { return Ok(not_staff) };
        let guild = call.guild();
        let read = || async {
            let found = staff_directory::find_by_play(call.read(), guild, player).await?;
            Ok::<_, ApiError>(found.map(Arc::new))
        };
        Ok(match call.state.caches.staff.get_or_load(guild, player, read).await? {
            Some(member) => Self {
                is_staff: true,
                chat_id: Some(member.chat_id),
                role_name: Some(member.role_name.clone()),
                permissions: member.play_permissions.0.clone(),
            },
            None => not_staff,
        })
    }
}
