//! A player's staff status and permissions in the game (docs/rules.md 6).

use std::collections::HashMap;
use std::sync::Arc;

use entities::staff_directory::PlayStaff;
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
        let (staff, _) = of_guild(call).await?;
        Ok(match staff.get(&player) {
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

/// The guild's staff by their game accounts, and whether the database is away and they are from memory.
pub(crate) async fn of_guild(call: &Call) -> Result<(Arc<HashMap<PlayId, PlayStaff>>, bool), ApiError> {
    let guild = call.guild();
    let read = || async { staff_directory::by_play(call.read(), guild).await.map(Arc::new) };
    Ok(call.state.caches.staff.get_or_load_or_stale(guild, (), read).await?)
}
