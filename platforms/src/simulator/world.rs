//! The state of both platforms. Ordered maps, so that paging by id is a range.

use std::collections::{BTreeMap, HashMap};

use entities::{ChannelId, ChatId, GroupId, GuildId, PlayId, RoleId};

use super::chat::Users;
use super::ledger::Updates;

/// The bot's user, a member of every guild. Below the ids of the fixtures, so it never moves their pages.
pub(super) const BOT_USER: i64 = 900_000_000_000_000_001;

/// Owns every guild, and is no member the fixtures count.
pub(super) const OWNER: i64 = 900_000_000_000_000_000;

/// What a simulator serves; read it with [`SimulatorState::load`].
#[derive(Debug, Default)]
pub struct SimulatorState {
    pub(super) guilds: BTreeMap<GuildId, Guild>,
    /// Chat users who exist, members or not.
    pub(super) users: Users,
    /// Whether the application has the privileged intent `GUILD_MEMBERS`.
    pub(super) members_intent: bool,
    pub(super) groups: BTreeMap<GroupId, Group>,
    pub(super) names: HashMap<PlayId, Box<str>>,
    /// Channels get ids from here on.
    pub(super) last_channel: i64,
}

#[derive(Debug, Default)]
pub(super) struct Guild {
    pub(super) name: String,
    pub(super) roles: BTreeMap<RoleId, Role>,
    pub(super) members: BTreeMap<ChatId, Member>,
    /// With the reason of each.
    pub(super) bans: BTreeMap<ChatId, Option<Box<str>>>,
    pub(super) channels: BTreeMap<ChannelId, Channel>,
}

#[derive(Debug, Clone)]
pub(super) struct Role {
    pub(super) name: String,
    pub(super) color: u32,
    pub(super) position: i64,
    pub(super) managed: bool,
    pub(super) permissions: u64,
    /// The role of the bot itself.
    pub(super) bot: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Member {
    pub(super) nick: Option<Box<str>>,
    pub(super) roles: Box<[RoleId]>,
    pub(super) bot: bool,
    pub(super) updates: Updates,
}

#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) kind: u8,
    pub(super) topic: Option<String>,
    pub(super) parent: Option<ChannelId>,
    pub(super) overwrites: Vec<Overwrite>,
}

/// What one role (kind 0) or member (1) may do in a channel other than elsewhere.
#[derive(Debug, Clone)]
pub(super) struct Overwrite {
    pub(super) id: i64,
    pub(super) kind: u8,
    pub(super) allow: u64,
    pub(super) deny: u64,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) roles: Vec<GroupRole>,
    /// Ranks of each member, highest first.
    pub(super) members: BTreeMap<PlayId, Box<[i16]>>,
}

#[derive(Debug, Clone)]
pub(super) struct GroupRole {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) rank: i16,
}

impl Guild {
    /// The position of the highest of these roles; without any that of everybody.
    pub(super) fn highest(&self, roles: &[RoleId]) -> i64 {
        roles.iter().filter_map(|id| self.roles.get(id)).map(|role| role.position).max().unwrap_or(0)
    }

    pub(super) fn bot_position(&self) -> i64 {
        self.bot().map_or(0, |bot| self.highest(&bot.roles))
    }

    /// Of its roles, and of the one everybody has.
    pub(super) fn bot_permissions(&self) -> u64 {
        let held = self.bot().map_or(&[][..], |bot| &bot.roles);
        let counts = |(id, role): &(&RoleId, &Role)| role.position == 0 || held.contains(id);
        self.roles.iter().filter(counts).fold(0, |all, (_, role)| all | role.permissions)
    }

    fn bot(&self) -> Option<&Member> {
        self.members.get(&ChatId::try_from(BOT_USER).ok()?)
    }
}

impl Member {
    /// Same nickname, same roles in whatever order.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let sorted = |roles: &[RoleId]| {
            let mut roles = roles.to_vec();
            roles.sort_unstable();
            roles
        };
        self.nick == other.nick && sorted(&self.roles) == sorted(&other.roles)
    }
}

impl SimulatorState {
    /// How many guilds, chat members (the bot aside) and group members there are.
    pub fn size(&self) -> (usize, usize, usize) {
        let chat = self.guilds.values().map(|guild| guild.members.values().filter(|m| !m.bot).count()).sum();
        (self.guilds.len(), chat, self.groups.values().map(|group| group.members.len()).sum())
    }
}
