//! Guildhall's part of a fixture, as far as a simulator needs it: who is linked, and which roles are not other bots' business.

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use serde::Deserialize;

use crate::state::Guild;

#[derive(Deserialize)]
pub(super) struct OwnPart {
    pub(super) guild_id: Option<GuildId>,
    #[serde(default)]
    pub(super) links: Vec<LinkPart>,
    #[serde(default)]
    bindings: Vec<BindingPart>,
    #[serde(default)]
    settings: SettingsPart,
}

#[derive(Deserialize)]
pub(super) struct LinkPart {
    pub(super) chat_id: ChatId,
    play_id: Option<PlayId>,
}

#[derive(Deserialize)]
struct BindingPart {
    group_id: Option<GroupId>,
    role_id: RoleId,
}

#[derive(Default, Deserialize)]
struct SettingsPart {
    verified_role: Option<RoleId>,
    unverified_role: Option<RoleId>,
}

impl OwnPart {
    pub(super) fn note(self, guild: &mut Guild) {
        let accounts = self.links.into_iter().filter_map(|link| Some((link.chat_id, link.play_id?)));
        guild.linked = accounts.collect();
        guild.groups = self.bindings.iter().filter_map(|binding| binding.group_id).collect();
        let SettingsPart { verified_role, unverified_role } = self.settings;
        let roles = self.bindings.into_iter().map(|binding| binding.role_id);
        guild.managed = roles.chain(verified_role).chain(unverified_role).collect();
    }
}
