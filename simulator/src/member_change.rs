//! A change of a member of a guild, a member of a group, or both, as people make it: not the bot.

use std::time::SystemTime;

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::form::read_nick;
use crate::state::{Member, SimulatorState};
use crate::stream::events::Look;

/// A chat member (`guild_id`, `chat_id`), a group member (`group_id`, `play_id`), or both. A new member
/// joins; absent fields stay unchanged; `remove` removes the member.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) guild_id: Option<GuildId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chat_id: Option<ChatId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) roles: Option<Vec<RoleId>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(crate) nick: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group_id: Option<GroupId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) play_id: Option<PlayId>,
    /// An empty list removes the user from the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<Vec<i16>>,
    /// Whether the member still has to pass the guild's screening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) username: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) display_name: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) remove: bool,
}

/// Distinguishes null from absent.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl MemberChange {
    /// Changes the state and announces it in the event stream; the error names the wrong field.
    pub(crate) fn apply(&self, state: &mut SimulatorState) -> Result<(), String> {
        let chat = self.apply_to_guild(state)?;
        let play = self.apply_to_group(state)?;
        let changed = chat || play;
        changed.then_some(()).ok_or("guild_id: give guild_id and chat_id, or group_id and play_id".into())
    }

    fn apply_to_guild(&self, state: &mut SimulatorState) -> Result<bool, String> {
        let (guild_id, chat_id) = match (self.guild_id, self.chat_id) {
            (Some(guild), Some(chat)) => (guild, chat),
            (None, None) => return Ok(false),
            (None, _) => return Err("guild_id: missing beside chat_id".into()),
            (_, None) => return Err("chat_id: missing beside guild_id".into()),
        };
        let SimulatorState { guilds, users, stream, .. } = state;
        let guild = guilds.get_mut(&guild_id).ok_or("guild_id: unknown guild")?;
        let before = Look::at(guild, chat_id);
        if let Some(role) = self.roles.iter().flatten().find(|role| !guild.roles.contains_key(role)) {
            return Err(format!("roles: unknown role {role}"));
        }
        let nick = self.nick.as_ref().map(read_nick).transpose();
        let nick = nick.map_err(|_| "nick: must be null or a text of at most 32 characters")?;
        if self.remove {
            guild.members.remove(&chat_id).ok_or("chat_id: not a member")?;
            stream.announce(guild_id, guild, chat_id, &before);
            return Ok(true);
        }
        users.insert(chat_id);
        let joining = || Member { joined: Some(SystemTime::now().into()), ..Member::default() };
        let member = guild.members.entry(chat_id).or_insert_with(joining);
        member.pending = self.pending.unwrap_or(member.pending);
        if let Some(roles) = &self.roles {
            member.roles = roles.clone().into();
        }
        if let Some(nick) = nick {
            member.nick = nick;
        }
        stream.announce(guild_id, guild, chat_id, &before);
        Ok(true)
    }

    fn apply_to_group(&self, state: &mut SimulatorState) -> Result<bool, String> {
        let Some(play_id) = self.play_id else {
            return if self.group_id.is_some() {
                Err("play_id: missing beside group_id".into())
            } else {
                Ok(false)
            };
        };
        if let Some(group_id) = self.group_id {
            let group = state.groups.get_mut(&group_id).ok_or("group_id: unknown group")?;
            let mut ranks = self.ranks.clone().unwrap_or_default();
            if let Some(rank) = ranks.iter().find(|rank| !group.roles.iter().any(|role| role.rank == **rank))
            {
                return Err(format!("ranks: no role has the rank {rank}"));
            }
            ranks.sort_unstable_by(|a, b| b.cmp(a));
            ranks.dedup();
            if ranks.is_empty() || self.remove {
                group.members.remove(&play_id);
            } else {
                group.members.insert(play_id, ranks.into());
            }
        } else if self.username.is_none() && self.display_name.is_none() {
            return Err("group_id: missing beside play_id".into());
        }
        if let Some(name) = &self.username {
            state.names.insert(play_id, name.clone());
        }
        if let Some(name) = &self.display_name {
            state.display_names.insert(play_id, name.clone());
        }
        Ok(true)
    }
}
