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
}

/// The players among these, in order; the service does not know test players of the studio.
pub(crate) fn players(sent: impl IntoIterator<Item = OrTest<PlayId>>) -> Vec<PlayId> {
    sent.into_iter().filter_map(OrTest::player).collect()
}

/// An entry for each of the first players, and for those of the rest of whom there is something to say, once. And whether
/// the database is away and they are from memory.
pub(crate) async fn of(
    call: &Call,
    plays: &[PlayId],
    first: usize,
    place: Option<PlaceId>,
) -> Result<(Vec<PlayerEntry>, bool), ApiError> {
    let caches = &call.state.caches;
    if plays.is_empty() {
        return Ok((Vec::new(), false));
    }
    let (sanctioned, old) = caches.moderation.find_all(call.guild(), plays, place, call.now()).await?;
    let (flags, old_flags) = caches.flags.find_or_stale(plays).await?;
    let (staff, old_staff) = staff_status::of_guild(call).await?;
    let mut sanctioned: HashMap<_, _> = sanctioned.into_iter().map(|one| (one.play, one)).collect();
    let (mut entries, mut told) = (Vec::new(), HashSet::new());
    for (at, play) in plays.iter().enumerate() {
        let found = if sanctioned.is_empty() { None } else { sanctioned.remove(play) };
        let flag = flags.iter().find(|flag| flag.play_id == *play);
        let member = if staff.is_empty() { None } else { staff.get(play) };
        let is_told = at < first || found.is_some() || flag.is_some() || member.is_some();
        if !is_told || !told.insert(*play) {
            continue;
        }
        let (ban, mute) = found.map_or((None, None), |found| (found.ban, found.mute));
        entries.push(PlayerEntry {
            play_id: *play,
            ban: ban.map(SanctionInfo::from),
            mute: mute.map(SanctionInfo::from),
            flag: flag.map(|flag| PlayerFlag::from(&**flag)),
            staff: member.map(PlayerStaff::from),
        });
    }
    Ok((entries, old || old_flags || old_staff))
}
