//! The state of both platforms. Ordered maps, so that paging by id is a range.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use entities::{ChannelId, ChatId, GroupId, GuildId, PlaceId, PlayId, RoleId, Timestamp, UniverseId};
use serde::Deserialize;

use crate::ban_log::BanLog;
use crate::conversations::Conversations;
use crate::permissions::{ADMINISTRATOR, ALL_PERMISSIONS, missing_permissions};
use crate::reply::Reply;
use crate::stream::Stream;

/// The bot's user, a member of every guild. Its id is below those of the fixtures, so it never shifts their pages.
pub(crate) const BOT_USER: i64 = 900_000_000_000_000_001;

pub(crate) fn bot_user() -> Option<ChatId> {
    ChatId::try_from(BOT_USER).ok()
}

/// The owner of the application, and of guilds without a human member.
pub(crate) const OWNER: i64 = 900_000_000_000_000_000;

/// When accounts of the game platform were created, if nothing else is set: at the start of 2015.
const OLD_ACCOUNT: u64 = 1_420_070_400;

/// All chat accounts, whether members of a guild or not.
pub(crate) type Users = HashSet<ChatId>;

/// The data that a simulator serves; read it with [`SimulatorState::load`].
#[derive(Debug, Default)]
pub struct SimulatorState {
    pub(crate) guilds: BTreeMap<GuildId, Guild>,
    /// Chat users who exist, members or not.
    pub(crate) users: Users,
    /// Accounts on other platforms that chat users have connected.
    pub(crate) connections: HashMap<ChatId, Vec<Connection>>,
    /// Whether the application has the privileged intent `GUILD_MEMBERS`.
    pub(crate) members_intent: bool,
    pub(crate) groups: BTreeMap<GroupId, Group>,
    pub(crate) names: HashMap<PlayId, Box<str>>,
    pub(crate) universes: HashMap<UniverseId, Universe>,
    /// Of users whose display name is not their name.
    pub(crate) display_names: HashMap<PlayId, Box<str>>,
    /// Of users who have another one than [`Profile::default`].
    pub(crate) profiles: HashMap<PlayId, Profile>,
    /// The first id for new channels.
    pub(crate) last_channel: i64,
    pub(crate) conversations: Conversations,
    pub(crate) stream: Stream,
}

/// As sent to `POST /control/connections`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connection {
    #[serde(rename = "type")]
    pub(crate) platform: String,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) verified: bool,
    #[serde(default)]
    pub(crate) revoked: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Guild {
    pub(crate) name: String,
    /// Without one it is [`OWNER`]. Unlike on the platform, the bot may change the owner here.
    pub(crate) owner: Option<ChatId>,
    pub(crate) roles: BTreeMap<RoleId, Role>,
    pub(crate) members: BTreeMap<ChatId, Member>,
    /// With each ban's reason.
    pub(crate) bans: BTreeMap<ChatId, Option<Box<str>>>,
    pub(crate) ban_log: BanLog,
    pub(crate) channels: BTreeMap<ChannelId, Channel>,
    /// Game accounts of users who are linked in the fixture, members or not.
    pub(crate) linked: BTreeMap<ChatId, PlayId>,
    /// Those of its bindings in the fixture.
    pub(crate) groups: BTreeSet<GroupId>,
    /// Roles that the fixture's guild gives by bindings and settings: the bot's business, not other bots'.
    pub(crate) managed: BTreeSet<RoleId>,
}

#[derive(Debug, Clone)]
pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) color: u32,
    pub(crate) position: i64,
    pub(crate) managed: bool,
    pub(crate) permissions: u64,
    pub(crate) bot: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) nick: Option<Box<str>>,
    pub(crate) roles: Box<[RoleId]>,
    pub(crate) bot: bool,
    /// Has not passed the screening of the guild.
    pub(crate) pending: bool,
    /// `None`: before the simulator started.
    pub(crate) joined: Option<DateTime<Utc>>,
    pub(crate) updates: Updates,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Updates {
    /// All updates, including those that changed nothing.
    pub(crate) all: u32,
    /// Updates that changed the member.
    pub(crate) changing: u32,
}

impl Updates {
    pub(crate) fn count(&mut self, changed: bool) {
        self.all += 1;
        self.changing += u32::from(changed);
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub(crate) name: String,
    pub(crate) kind: u8,
    pub(crate) topic: Option<String>,
    pub(crate) parent: Option<ChannelId>,
    pub(crate) overwrites: Vec<Overwrite>,
}

impl Channel {
    pub(crate) fn text(name: &str) -> Self {
        Self { name: name.to_owned(), kind: 0, topic: None, parent: None, overwrites: Vec::new() }
    }
}

/// The overwrite of one role (kind 0) or member (1) in a channel.
#[derive(Debug, Clone)]
pub(crate) struct Overwrite {
    pub(crate) id: i64,
    pub(crate) kind: u8,
    pub(crate) allow: u64,
    pub(crate) deny: u64,
}

/// A game.
#[derive(Debug)]
pub(crate) struct Universe {
    pub(crate) name: Box<str>,
    pub(crate) root_place: PlaceId,
}

#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) name: Box<str>,
    pub(crate) roles: Vec<GroupRole>,
    /// Ranks of each member, highest first.
    pub(crate) members: BTreeMap<PlayId, Box<[i16]>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct GroupRole {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) rank: i16,
}

/// Of a user of the game platform.
#[derive(Debug, Clone)]
pub(crate) struct Profile {
    pub(crate) description: String,
    pub(crate) created: Timestamp,
}

impl Default for Profile {
    /// An old account without a text.
    fn default() -> Self {
        let created = Timestamp::UNIX_EPOCH + Duration::from_secs(OLD_ACCOUNT);
        Self { description: String::new(), created }
    }
}

impl Guild {
    /// 403 unless one of the bot's roles, or the everyone role, has the permission.
    pub(crate) fn bot_may(&self, permission: u64) -> Result<(), Reply> {
        let held = self.bot_permissions();
        if held & (permission | ADMINISTRATOR) == 0 { Err(missing_permissions()) } else { Ok(()) }
    }

    /// A banned member leaves the guild.
    pub(crate) fn ban(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        self.members.remove(&user);
        self.ban_log.banned(by, user, reason.clone());
        self.bans.insert(user, reason);
    }

    /// Whether there was a ban.
    pub(crate) fn lift_ban(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) -> bool {
        let lifted = self.bans.remove(&user).is_some();
        if lifted {
            self.ban_log.lifted(by, user, reason);
        }
        lifted
    }

    /// The position of the highest of these roles; without any, that of the everyone role.
    pub(crate) fn highest(&self, roles: &[RoleId]) -> i64 {
        roles.iter().filter_map(|id| self.roles.get(id)).map(|role| role.position).max().unwrap_or(0)
    }

    pub(crate) fn is_owner(&self, user: ChatId) -> bool {
        self.owner == Some(user)
    }

    pub(crate) fn bot_position(&self) -> i64 {
        self.bot().map_or(0, |bot| self.highest(&bot.roles))
    }

    /// What the bot may do, as [`Self::permissions_of`] a member.
    pub(crate) fn app_permissions(&self) -> u64 {
        effective(self.bot_permissions())
    }

    pub(crate) fn bot_permissions(&self) -> u64 {
        self.permissions(self.bot().map_or(&[][..], |bot| &bot.roles))
    }

    /// The permissions of these roles and of the everyone role.
    pub(crate) fn permissions(&self, held: &[RoleId]) -> u64 {
        let counts = |(id, role): &(&RoleId, &Role)| role.position == 0 || held.contains(id);
        self.roles.iter().filter(counts).fold(0, |all, (_, role)| all | role.permissions)
    }

    /// What a member may do: everything for the owner and for administrators.
    pub(crate) fn permissions_of(&self, user: ChatId, member: &Member) -> u64 {
        if self.is_owner(user) { ALL_PERMISSIONS } else { effective(self.permissions(&member.roles)) }
    }

    /// The text channel that every guild has. As in guilds that the platform made long ago, its id is the guild's.
    pub(crate) fn general(id: GuildId) -> Option<ChannelId> {
        ChannelId::try_from(id.get()).ok()
    }

    fn bot(&self) -> Option<&Member> {
        self.members.get(&bot_user()?)
    }
}

/// Administrators have all permissions.
fn effective(held: u64) -> u64 {
    if held & ADMINISTRATOR != 0 { ALL_PERMISSIONS } else { held }
}

impl Member {
    /// Same nickname, same roles in any order.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        let sorted = |roles: &[RoleId]| {
            let mut roles = roles.to_vec();
            roles.sort_unstable();
            roles
        };
        self.nick == other.nick && sorted(&self.roles) == sorted(&other.roles)
    }
}

impl SimulatorState {
    /// Name and profile of a user of the game platform.
    pub(crate) fn player(&self, id: PlayId) -> Option<(&str, Profile)> {
        Some((self.names.get(&id)?, self.profiles.get(&id).cloned().unwrap_or_default()))
    }

    /// The numbers of guilds, chat members (without the bot) and group members.
    pub fn size(&self) -> (usize, usize, usize) {
        let chat = self.guilds.values().map(|guild| guild.members.values().filter(|m| !m.bot).count()).sum();
        (self.guilds.len(), chat, self.groups.values().map(|group| group.members.len()).sum())
    }
}
