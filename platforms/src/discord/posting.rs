//! The channels of a guild in which the bot may post, or why it may not.

use entities::{ChannelId, GuildId};

use super::ChatPlatform;
use crate::channel::{ChatChannel, Overwrite, Principal};
use crate::chat::{ChatMember, ChatRole};
use crate::context::CallContext;
use crate::error::Result;
use crate::permissions::Permissions;

const NEEDED: [(u64, &str); 3] =
    [(1 << 10, "View Channel"), (1 << 11, "Send Messages"), (1 << 14, "Embed Links")];

/// A text channel of the guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChannel {
    pub id: ChannelId,
    pub name: String,
    /// The first permission to post there that the bot lacks, by the platform's name.
    pub lacks: Option<&'static str>,
}

impl ChatPlatform {
    /// Categories of channels: id and name, by name.
    pub async fn categories(&self, call: CallContext) -> Result<Vec<(ChannelId, String)>> {
        let all = self.channels(call).await?.into_iter().filter(ChatChannel::is_category);
        let mut found: Vec<_> = all.map(|channel| (channel.id, channel.name)).collect();
        found.sort_by(|(_, a), (_, b)| a.cmp(b));
        Ok(found)
    }

    /// By name. Three calls.
    pub async fn text_channels(&self, call: CallContext) -> Result<Vec<TextChannel>> {
        let (channels, roles, bot) =
            (self.channels(call).await?, self.guild_roles(call).await?, self.bot(call).await?);
        let mut found: Vec<_> = channels
            .into_iter()
            .filter(ChatChannel::is_text)
            .map(|channel| {
                let held = held_in(&channel, call.guild, &roles, &bot);
                let lacked = NEEDED.into_iter().find(|(bit, _)| !held.permits(Permissions::from_bits(*bit)));
                TextChannel { id: channel.id, name: channel.name, lacks: lacked.map(|(_, name)| name) }
            })
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

/// As the platform computes it: the roles, then the channel's overwrites of everybody, of the roles together, of the member.
fn held_in(channel: &ChatChannel, guild: GuildId, roles: &[ChatRole], bot: &ChatMember) -> Permissions {
    let is_everyone = |of: Principal| matches!(of, Principal::Role(role) if role.get() == guild.get());
    let holds = |of: Principal| match of {
        Principal::Role(role) => bot.roles.contains(&role) && !is_everyone(of),
        Principal::User(_) => false,
    };
    let of_roles = roles.iter().filter(|role| role.id.get() == guild.get() || bot.roles.contains(&role.id));
    let held = of_roles.fold(Permissions::default(), |all, role| all.with(role.permissions));
    if held.permits(Permissions::ADMINISTRATOR) {
        return held;
    }
    let changed = |bits: u64, which: &dyn Fn(Principal) -> bool| {
        let these = || channel.overwrites.iter().filter(|one| which(one.of));
        let all = |part: fn(&Overwrite) -> u64| these().fold(0, |bits, one| bits | part(one));
        bits & !all(|one| one.deny) | all(|one| one.allow)
    };
    let bits = changed(held.bits(), &is_everyone);
    let bits = changed(bits, &holds);
    Permissions::from_bits(changed(bits, &|of| of == Principal::User(bot.chat_id)))
}

#[cfg(test)]
mod tests {
    use entities::{ChatId, RoleId};
    use serde_json::json;

    use super::*;

    const POST: u64 = 1 << 10 | 1 << 11 | 1 << 14;

    /// Role 7 is the everyone role, 8 the bot's; the bot is user 99.
    fn held(of_bot: u64, overwrites: &[(Principal, u64, u64)]) -> u64 {
        let role = |id: i64, permissions: u64| -> ChatRole {
            let body = json!({ "id": id.to_string(), "name": "r", "position": 1,
                               "permissions": permissions.to_string() });
            serde_json::from_value(body).unwrap()
        };
        let overwrites =
            overwrites.iter().map(|(of, allow, deny)| Overwrite { of: *of, allow: *allow, deny: *deny });
        let channel = ChatChannel {
            id: 1.try_into().unwrap(),
            name: "logs".to_owned(),
            kind: 0,
            topic: None,
            overwrites: overwrites.collect(),
        };
        let bot = ChatMember {
            chat_id: id(99),
            username: "guildhall".to_owned(),
            nick: None,
            roles: vec![8.try_into().unwrap()],
            is_bot: true,
            joined_at: None,
            is_pending: false,
        };
        let roles = [role(7, POST), role(8, of_bot), role(9, 0)];
        held_in(&channel, 7.try_into().unwrap(), &roles, &bot).bits() & POST
    }

    fn id(user: i64) -> ChatId {
        user.try_into().unwrap()
    }

    fn role(role: i64) -> Principal {
        Principal::Role(RoleId::try_from(role).unwrap())
    }

    #[test]
    fn overwrites_count_from_everybody_to_the_bot() {
        let bot = Principal::User(id(99));
        assert_eq!(held(0, &[]), POST);
        assert_eq!(held(0, &[(role(7), 0, POST)]), 0);
        assert_eq!(held(0, &[(role(8), POST, 0), (role(7), 0, POST)]), POST);
        assert_eq!(held(0, &[(role(9), 0, POST), (Principal::User(id(50)), 0, POST)]), POST, "of others");
        assert_eq!(held(0, &[(role(8), POST, 0), (bot, 0, 1 << 14)]), POST & !(1 << 14));
        assert_eq!(held(1 << 3, &[(bot, 0, POST)]), POST, "administrators may post");
    }
}
