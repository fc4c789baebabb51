//! The chat platform's objects as it writes them, with every field a client library may demand.

use entities::{ChannelId, ChatId, GuildId, RoleId};
use serde_json::{Value, json};

use super::world::{BOT_USER, Channel, Member, Role};

/// Every member is said to have joined then.
const JOINED_AT: &str = "2026-01-01T00:00:00.000000+00:00";
const ADMINISTRATOR: &str = "8";

pub(super) fn user(id: ChatId, bot: bool) -> Value {
    json!({
        "id": id, "username": format!("user{id}"), "discriminator": "0", "global_name": null, "avatar": null,
        "bot": bot, "system": false, "public_flags": 0,
    })
}

pub(super) fn member(id: ChatId, member: &Member) -> Value {
    json!({
        "user": user(id, member.bot), "nick": member.nick, "avatar": null, "banner": null, "roles": member.roles,
        "joined_at": JOINED_AT, "premium_since": null, "deaf": false, "mute": false, "flags": 0, "pending": false,
        "communication_disabled_until": null,
    })
}

pub(super) fn role(id: RoleId, role: &Role) -> Value {
    let mut body = json!({
        "id": id, "name": role.name, "color": role.color, "hoist": false, "position": role.position, "flags": 0,
        "colors": { "primary_color": role.color, "secondary_color": null, "tertiary_color": null },
        "permissions": if role.bot { ADMINISTRATOR } else { "0" }, "managed": role.managed, "mentionable": false,
        "icon": null, "unicode_emoji": null,
    });
    if role.bot {
        body["tags"] = json!({ "bot_id": BOT_USER.to_string() });
    }
    body
}

pub(super) fn channel(guild: GuildId, id: ChannelId, channel: &Channel) -> Value {
    json!({
        "id": id, "guild_id": guild, "type": channel.kind, "name": channel.name, "topic": channel.topic,
        "parent_id": channel.parent, "position": 0, "nsfw": false, "permission_overwrites": channel.overwrites,
        "rate_limit_per_user": 0, "last_message_id": null, "flags": 0,
    })
}
