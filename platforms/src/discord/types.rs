//! The parts of the chat platform's objects that are read, and the bodies that are sent.

use entities::{ChannelId, ChatId, GuildId, RoleId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{ChatChannel, ChatMember, ChatRole, MemberUpdate, NewChannel, Permissions};

const TEXT_CHANNEL: u8 = 0;
const OVERWRITE_ROLE: u8 = 0;
const OVERWRITE_MEMBER: u8 = 1;
/// `VIEW_CHANNEL`.
const VIEW: u64 = 1 << 10;
/// `VIEW_CHANNEL`, `SEND_MESSAGES`, `ATTACH_FILES`, `READ_MESSAGE_HISTORY`.
const TALK: u64 = VIEW | 1 << 11 | 1 << 15 | 1 << 16;

#[derive(Deserialize)]
pub(super) struct UserBody {
    pub(super) id: ChatId,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
pub(super) struct RoleBody {
    id: RoleId,
    name: String,
    #[serde(default)]
    color: u32,
    position: i64,
    #[serde(default)]
    managed: bool,
    /// Digits of a bit set.
    #[serde(default)]
    permissions: String,
}

#[derive(Deserialize)]
pub(super) struct MemberBody {
    user: UserBody,
    nick: Option<String>,
    roles: Vec<RoleId>,
}

#[derive(Deserialize)]
pub(super) struct ChannelBody {
    id: ChannelId,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    parent_id: Option<ChannelId>,
    #[serde(default)]
    topic: Option<String>,
}

impl From<RoleBody> for ChatRole {
    fn from(role: RoleBody) -> Self {
        Self {
            id: role.id,
            name: role.name,
            color: role.color,
            position: role.position,
            managed: role.managed,
            permissions: Permissions::from_bits(role.permissions.parse().unwrap_or_default()),
        }
    }
}

impl From<MemberBody> for ChatMember {
    fn from(member: MemberBody) -> Self {
        Self { chat_id: member.user.id, nick: member.nick, roles: member.roles, is_bot: member.user.bot }
    }
}

impl From<ChannelBody> for ChatChannel {
    fn from(channel: ChannelBody) -> Self {
        Self {
            id: channel.id,
            name: channel.name.unwrap_or_default(),
            category: channel.parent_id,
            topic: channel.topic,
        }
    }
}

/// Only what is to be set: an absent field stays, a null nickname goes.
pub(super) fn member_request(update: &MemberUpdate) -> Value {
    let mut body = Map::new();
    if let Some(roles) = &update.roles {
        body.insert("roles".to_owned(), json!(roles));
    }
    if let Some(nick) = &update.nick {
        body.insert("nick".to_owned(), json!(nick));
    }
    Value::Object(body)
}

pub(super) fn channel_request(guild: GuildId, channel: &NewChannel) -> Value {
    let mut body = json!({ "name": channel.name, "type": TEXT_CHANNEL });
    if let Some(topic) = &channel.topic {
        body["topic"] = json!(topic);
    }
    if let Some(category) = channel.category {
        body["parent_id"] = json!(category);
    }
    if !channel.viewers.is_empty() {
        let everybody =
            json!({ "id": guild, "type": OVERWRITE_ROLE, "allow": "0", "deny": VIEW.to_string() });
        let viewers = channel.viewers.iter().map(
            |viewer| json!({ "id": viewer, "type": OVERWRITE_MEMBER, "allow": TALK.to_string(), "deny": "0" }),
        );
        body["permission_overwrites"] = std::iter::once(everybody).chain(viewers).collect();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_tells_absent_from_null() {
        assert_eq!(member_request(&MemberUpdate::default()), json!({}));
        let taken_away = MemberUpdate { roles: Some(vec![]), nick: Some(None) };
        assert_eq!(member_request(&taken_away), json!({ "roles": [], "nick": null }));
    }

    #[test]
    fn a_private_channel_hides_from_everybody_but_its_viewers() {
        let guild = GuildId::try_from(7).unwrap();
        let viewer = ChatId::try_from(9).unwrap();
        let channel = NewChannel { name: "x".into(), category: None, topic: None, viewers: vec![viewer] };
        let overwrites = channel_request(guild, &channel)["permission_overwrites"].clone();
        assert_eq!(overwrites[0]["deny"], "1024");
        assert_eq!(overwrites[1]["id"], "9");
    }
}
