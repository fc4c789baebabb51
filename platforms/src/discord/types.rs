//! The parts of the chat platform's objects that the client reads, and the bodies that it sends.

use entities::{ChannelId, ChatId, RoleId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::chat::{
    ChatBan, ChatChannel, ChatMember, ChatRole, MemberUpdate, NewChannel, Overwrite, Principal,
};
use crate::permissions::Permissions;

const TEXT_CHANNEL: u8 = 0;
const OVERWRITE_ROLE: u8 = 0;
const OVERWRITE_MEMBER: u8 = 1;

#[derive(Deserialize)]
pub(super) struct UserBody {
    pub(super) id: ChatId,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
pub(super) struct RoleBody {
    pub(super) id: RoleId,
    name: String,
    #[serde(default)]
    color: u32,
    position: i64,
    #[serde(default)]
    managed: bool,
    #[serde(default)]
    pub(super) permissions: Bits,
}

#[derive(Deserialize)]
pub(super) struct MemberBody {
    user: UserBody,
    nick: Option<String>,
    roles: Vec<RoleId>,
}

#[derive(Deserialize)]
pub(super) struct BanBody {
    #[serde(default)]
    reason: Option<String>,
}

impl From<BanBody> for ChatBan {
    fn from(ban: BanBody) -> Self {
        Self { reason: ban.reason }
    }
}

#[derive(Deserialize)]
pub(super) struct ChannelBody {
    pub(super) id: ChannelId,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    parent_id: Option<ChannelId>,
    #[serde(default)]
    topic: Option<String>,
    #[serde(default)]
    permission_overwrites: Vec<OverwriteBody>,
}

#[derive(Deserialize)]
struct OverwriteBody {
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(default)]
    allow: Bits,
    #[serde(default)]
    deny: Bits,
}

/// A set of permissions, written as a decimal number in a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Bits(pub(super) u64);

impl TryFrom<String> for Bits {
    type Error = std::num::ParseIntError;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        digits.parse().map(Self)
    }
}

impl ChannelBody {
    pub(super) fn overwrites(&self) -> Vec<Overwrite> {
        let read = |body: &OverwriteBody| {
            let of = match body.kind {
                OVERWRITE_ROLE => Principal::Role(body.id.parse().ok()?),
                OVERWRITE_MEMBER => Principal::User(body.id.parse().ok()?),
                _ => return None,
            };
            Some(Overwrite { of, allow: body.allow.0, deny: body.deny.0 })
        };
        self.permission_overwrites.iter().filter_map(read).collect()
    }
}

impl From<RoleBody> for ChatRole {
    fn from(role: RoleBody) -> Self {
        Self {
            id: role.id,
            name: role.name,
            color: role.color,
            position: role.position,
            managed: role.managed,
            permissions: Permissions::from_bits(role.permissions.0),
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

/// Only the fields to set: an absent field stays unchanged, a null nickname is removed.
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

pub(super) fn channel_request(channel: &NewChannel) -> Value {
    let mut body = json!({ "name": channel.name, "type": TEXT_CHANNEL });
    if let Some(topic) = &channel.topic {
        body["topic"] = json!(topic);
    }
    if let Some(category) = channel.category {
        body["parent_id"] = json!(category);
    }
    if !channel.overwrites.is_empty() {
        body["permission_overwrites"] = channel.overwrites.iter().map(overwrite_request).collect();
    }
    body
}

fn overwrite_request(overwrite: &Overwrite) -> Value {
    let (id, kind) = match overwrite.of {
        Principal::Role(role) => (role.to_string(), OVERWRITE_ROLE),
        Principal::User(user) => (user.to_string(), OVERWRITE_MEMBER),
    };
    json!({ "id": id, "type": kind, "allow": overwrite.allow.to_string(), "deny": overwrite.deny.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_distinguishes_absent_from_null() {
        assert_eq!(member_request(&MemberUpdate::default()), json!({}));
        let taken_away = MemberUpdate { roles: Some(vec![]), nick: Some(None) };
        assert_eq!(member_request(&taken_away), json!({ "roles": [], "nick": null }));
    }

    #[test]
    fn overwrites_are_read_as_they_are_written() {
        let of =
            [Principal::Role(RoleId::try_from(7).unwrap()), Principal::User(ChatId::try_from(9).unwrap())];
        let overwrites = of.map(|of| Overwrite { of, allow: 1 << 50, deny: 1024 }).to_vec();
        let channel =
            NewChannel { name: "x".into(), category: None, topic: None, overwrites: overwrites.clone() };
        let mut sent = channel_request(&channel);
        assert_eq!(sent["permission_overwrites"][0]["deny"], "1024");
        sent["id"] = json!("5");
        let read: ChannelBody = serde_json::from_value(sent).unwrap();
        assert_eq!(read.overwrites(), overwrites);
    }
}
