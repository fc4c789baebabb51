//! What a game server needs to know about a player: ban, mute, Shield flag, staff.

use std::collections::{HashMap, HashSet};

use entities::shield_flag::Model as Flag;
use entities::staff_directory::PlayStaff;
use entities::{ChatId, PlaceId, PlayId, Timestamp};

use crate::endpoints::moderation::ban_status::get::SanctionInfo;
use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::staff_status;
use crate::request::values::OrTest;

#[derive(Serialize, ToSchema)]
pub(crate) struct PlayerEntry {
    pub(crate) play_id: PlayId,
    /// Null: not banned.
    #[schema(required)]
    ban: Option<SanctionInfo>,
    /// Null: not muted.
    #[schema(required)]
    mute: Option<SanctionInfo>,
    /// Null: not flagged in Shield.
    #[schema(required)]
    flag: Option<PlayerFlag>,
    /// Null: not staff.
    #[schema(required)]
    staff: Option<PlayerStaff>,
}

answer! {
    pub(crate) struct PlayerFlag from flag: Flag {
        #[schema(example = "exploiting")]
        reason: String,
        #[schema(example = "manual")]
        source: String,
    }
}

answer! {
    pub(crate) struct PlayerStaff from staff: PlayStaff {
        chat_id: ChatId,
        #[schema(example = "Moderator")]
        role_name: String,
        /// In games.
        #[schema(example = json!(["kick"]))]
        permissions: Vec<String> = staff.play_permissions.0.clone(),
    }
}

impl PlayerEntry {
    /// The first end of a ban or mute.
    pub(crate) fn ends_at(&self) -> Option<Timestamp> {
        [&self.ban, &self.mute]
            .into_iter()
            .flatten()
            .filter_map(|info| info.expires_at)
            .map(|end| end.0)
            .min()
    }

    /// Whether there is something to say.
    pub(crate) fn is_notable(&self) -> bool {
        self.ban.is_some() || self.mute.is_some() || self.flag.is_some() || self.staff.is_some()
    }
}

/// The players among these, each once; the service does not know test players of the studio.
pub(crate) fn players(sent: impl IntoIterator<Item = OrTest<PlayId>>) -> Vec<PlayId> {
    let mut seen = HashSet::new();
    sent.into_iter().filter_map(OrTest::player).filter(|play| seen.insert(*play)).collect()
}

/// An entry for each player, and whether the database is away and they are from memory.
pub(crate) async fn of(
    call: &Call,
    plays: &[PlayId],
    place: Option<PlaceId>,
) -> Result<(Vec<PlayerEntry>, bool), ApiError> {
    let caches = &call.state.caches;
    if plays.is_empty() {
        return Ok((Vec::new(), false));
    }
    let (sanctions, old) = caches.moderation.find_all(call.guild(), plays, place, call.now()).await?;
    let (flags, old_flags) = caches.flags.find_or_stale(plays).await?;
    let (staff, old_staff) = staff_status::of_guild(call).await?;
    let mut flags: HashMap<PlayId, _> = flags.iter().map(|flag| (flag.play_id, flag)).collect();
    let entry = |(play_id, [ban, mute]): (&PlayId, [Option<_>; 2])| PlayerEntry {
        play_id: *play_id,
        ban: ban.map(SanctionInfo::from),
        mute: mute.map(SanctionInfo::from),
        flag: flags.remove(play_id).map(|flag| PlayerFlag::from(&**flag)),
        staff: staff.get(play_id).map(PlayerStaff::from),
    };
    Ok((plays.iter().zip(sanctions).map(entry).collect(), old || old_flags || old_staff))
}
