//! Who sees a private channel (docs/rules.md 7): its viewers, the bot, and those its category admits.
//!
//! A channel created with its own overwrites inherits none, so the category's are repeated. The platform
//! refuses a whole channel for one permission that the bot does not hold itself: such permissions are omitted.

use std::collections::BTreeMap;

use entities::{GuildId, RoleId};

use crate::channel::{Overwrite, Principal, Viewers};
use crate::chat::{ChatMember, ChatRole};
use crate::permissions::ADMINISTRATOR;

const MANAGE_CHANNELS: u64 = 1 << 4;
const VIEW: u64 = 1 << 10;
/// `VIEW_CHANNEL`, `SEND_MESSAGES`, `ATTACH_FILES`, `READ_MESSAGE_HISTORY`.
const TALK: u64 = VIEW | 1 << 11 | 1 << 15 | 1 << 16;

pub(super) struct Guild<'a> {
    pub(super) id: GuildId,
    pub(super) roles: &'a [ChatRole],
    pub(super) bot: &'a ChatMember,
}

impl Guild<'_> {
    /// The id of the everyone role is the guild's id.
    fn is_everybody(&self, role: RoleId) -> bool {
        role.get() == self.id.get()
    }

    fn has(&self, role: RoleId) -> bool {
        self.roles.iter().any(|known| known.id == role)
    }

    /// The permissions that the bot may allow and deny.
    fn grantable(&self) -> u64 {
        let held = |role: &&ChatRole| self.is_everybody(role.id) || self.bot.roles.contains(&role.id);
        let bits = self.roles.iter().filter(held).fold(0, |bits, role| bits | role.permissions.bits());
        // Without the permission to create channels the platform refuses this one anyway, with its reason.
        if bits & ADMINISTRATOR != 0 || bits & MANAGE_CHANNELS == 0 { u64::MAX } else { bits }
    }
}

pub(super) fn private(guild: &Guild, viewers: &Viewers, inherited: Vec<Overwrite>) -> Vec<Overwrite> {
    let mut access: BTreeMap<Principal, (u64, u64)> = BTreeMap::new();
    for Overwrite { of, allow, deny } in inherited {
        access.insert(of, (allow, deny));
    }
    if let Some(role) = guild.roles.iter().map(|role| role.id).find(|role| guild.is_everybody(*role)) {
        let (allow, deny) = access.entry(Principal::Role(role)).or_default();
        (*allow, *deny) = (*allow & !VIEW, *deny | VIEW);
    }
    let roles = viewers.roles.iter().filter(|role| guild.has(**role) && !guild.is_everybody(**role));
    let users = viewers.users.iter().chain([&guild.bot.chat_id]);
    for of in roles.map(|role| Principal::Role(*role)).chain(users.map(|user| Principal::User(*user))) {
        let (allow, deny) = access.entry(of).or_default();
        (*allow, *deny) = (*allow | TALK, *deny & !TALK);
    }
    let grantable = guild.grantable();
    let overwrites = access.into_iter().map(|(of, (allow, deny))| Overwrite {
        of,
        allow: allow & grantable,
        deny: deny & grantable,
    });
    overwrites.filter(|one| one.allow | one.deny != 0).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SPEAK_AS_TTS: u64 = 1 << 12;
    const MANAGE_MESSAGES: u64 = 1 << 13;

    fn role(id: i64) -> Principal {
        Principal::Role(id.try_into().unwrap())
    }

    fn user(id: i64) -> Principal {
        Principal::User(id.try_into().unwrap())
    }

    /// Role 7 is the everyone role, 8 the bot's; the bot is user 99.
    fn access(bot_permissions: u64, inherited: Vec<Overwrite>) -> BTreeMap<Principal, (u64, u64)> {
        let one = |(id, permissions): (i64, u64)| {
            let body = json!({ "id": id.to_string(), "name": "r", "position": 1,
                               "permissions": permissions.to_string() });
            serde_json::from_value(body).unwrap()
        };
        let roles: Vec<ChatRole> = [(7, TALK), (8, bot_permissions), (10, 0), (11, 0)].map(one).into();
        let bot = ChatMember {
            chat_id: 99.try_into().unwrap(),
            username: "bot".to_owned(),
            nick: None,
            roles: vec![8.try_into().unwrap()],
            is_bot: true,
            joined_at: None,
            is_pending: false,
        };
        let guild = Guild { id: 7.try_into().unwrap(), roles: &roles, bot: &bot };
        let viewers = Viewers {
            users: vec![50.try_into().unwrap()],
            // The last role no longer exists in the guild.
            roles: [7, 10, 12].map(|id| RoleId::try_from(id).unwrap()).into(),
        };
        let overwrites = private(&guild, &viewers, inherited);
        overwrites.into_iter().map(|one| (one.of, (one.allow, one.deny))).collect()
    }

    #[test]
    fn only_viewers_staff_and_the_bot_see_the_channel() {
        let expected =
            [(role(7), (0, VIEW)), (role(10), (TALK, 0)), (user(50), (TALK, 0)), (user(99), (TALK, 0))];
        assert_eq!(access(MANAGE_CHANNELS, Vec::new()), BTreeMap::from(expected));
    }

    #[test]
    fn category_allows_are_kept_and_denies_of_viewers_are_dropped() {
        let inherited = vec![
            Overwrite { of: role(7), allow: VIEW | SPEAK_AS_TTS, deny: 0 },
            Overwrite { of: role(10), allow: MANAGE_MESSAGES, deny: TALK | SPEAK_AS_TTS },
            Overwrite { of: role(11), allow: VIEW, deny: 0 },
            Overwrite { of: user(51), allow: TALK, deny: 0 },
        ];
        let access = access(ADMINISTRATOR, inherited);
        assert_eq!(access[&role(7)], (SPEAK_AS_TTS, VIEW));
        assert_eq!(access[&role(10)], (TALK | MANAGE_MESSAGES, SPEAK_AS_TTS));
        assert_eq!((access[&role(11)], access[&user(51)]), ((VIEW, 0), (TALK, 0)));
    }

    #[test]
    fn permissions_the_bot_lacks_are_omitted() {
        let inherited = vec![
            Overwrite { of: role(11), allow: VIEW | MANAGE_MESSAGES, deny: 0 },
            Overwrite { of: user(51), allow: MANAGE_MESSAGES, deny: 0 },
        ];
        let access = access(MANAGE_CHANNELS, inherited);
        assert_eq!(access[&role(11)], (VIEW, 0));
        assert!(!access.contains_key(&user(51)));
    }
}
