//! The chat platform's objects in its format, with every field a client library may require.

use chrono::{DateTime, SecondsFormat, Utc};
use entities::{ChannelId, ChatId, GuildId, RoleId};
use http::Uri;
use serde_json::{Value, json};

use crate::message::Message;
use crate::message::form::EPHEMERAL;
use crate::options::Application;
use crate::permissions::ALL_PERMISSIONS;
use crate::pictures;
use crate::state::{BOT_USER, Channel, Connection, Guild, Member, OWNER, Overwrite, Role};

/// Flag of a message: the bot "is thinking".
const LOADING: u64 = 1 << 7;
/// Types of messages: an ordinary one, and the answer to a command.
const ORDINARY: u64 = 0;
const COMMAND_ANSWER: u64 = 20;
pub(crate) const JOINED_AT: &str = "2026-01-01T00:00:00.000000+00:00";
/// `GATEWAY_GUILD_MEMBERS_LIMITED`: the intent is on, in an application too small for review.
const MEMBERS_INTENT: u32 = 1 << 15;

pub(crate) fn user_name(id: ChatId) -> String {
    format!("user{id}")
}

pub(crate) fn user(id: ChatId, bot: bool) -> Value {
    json!({
        "id": id, "username": user_name(id), "discriminator": "0", "global_name": null,
        "avatar": pictures::hash_of(id.get()), "bot": bot, "system": false, "public_flags": 0,
    })
}

/// The bot's user as others see it.
pub(crate) fn bot() -> Value {
    json!({
        "id": BOT_USER.to_string(), "username": "guildhall", "discriminator": "0001", "global_name": null,
        "avatar": null, "bot": true, "flags": 0, "public_flags": 0,
    })
}

pub(crate) fn member(id: ChatId, member: &Member) -> Value {
    let joined = member.joined.map(|joined| joined.to_rfc3339_opts(SecondsFormat::Micros, false));
    json!({
        "user": user(id, member.bot), "nick": member.nick, "avatar": null, "banner": null, "roles": member.roles,
        "joined_at": joined.as_deref().unwrap_or(JOINED_AT), "premium_since": null, "deaf": false, "mute": false,
        "flags": 0, "pending": member.pending,
        "communication_disabled_until": null,
    })
}

/// With what the member may do, as interactions show members.
pub(crate) fn acting_member(guild: &Guild, id: ChatId, one: &Member) -> Value {
    let mut body = member(id, one);
    body["permissions"] = json!(guild.permissions_of(id, one).to_string());
    body
}

pub(crate) fn role(id: RoleId, role: &Role) -> Value {
    let mut body = json!({
        "id": id, "name": role.name, "color": role.color, "hoist": false, "position": role.position, "flags": 0,
        "colors": { "primary_color": role.color, "secondary_color": null, "tertiary_color": null },
        "permissions": role.permissions.to_string(), "managed": role.managed, "mentionable": false,
        "icon": null, "unicode_emoji": null,
    });
    if role.bot {
        body["tags"] = json!({ "bot_id": BOT_USER.to_string() });
    }
    body
}

pub(crate) fn roles(guild: &Guild) -> Value {
    guild.roles.iter().map(|(id, one)| role(*id, one)).collect()
}

pub(crate) fn channel(guild: GuildId, id: ChannelId, channel: &Channel) -> Value {
    let overwrites: Vec<Value> = channel.overwrites.iter().map(overwrite).collect();
    json!({
        "id": id, "guild_id": guild, "type": channel.kind, "name": channel.name, "topic": channel.topic,
        "parent_id": channel.parent, "position": 0, "nsfw": false, "permission_overwrites": overwrites,
        "rate_limit_per_user": 0, "last_message_id": null, "flags": 0,
    })
}

/// The channel of direct messages with a person.
pub(crate) fn direct_channel(id: ChannelId, recipient: ChatId) -> Value {
    json!({
        "id": id, "type": 1, "last_message_id": null, "flags": 0, "recipients": [user(recipient, false)],
    })
}

fn overwrite(overwrite: &Overwrite) -> Value {
    let Overwrite { id, kind, allow, deny } = overwrite;
    json!({ "id": id.to_string(), "type": kind, "allow": allow.to_string(), "deny": deny.to_string() })
}

pub(crate) fn guild(id: GuildId, guild: &Guild, counts: bool) -> Value {
    let owner = guild.owner.map_or_else(|| OWNER.to_string(), |owner| owner.to_string());
    let mut body = json!({
        "id": id, "name": guild.name, "icon": pictures::hash_of(id.get()), "splash": null, "discovery_splash": null,
        "owner_id": owner, "region": "deprecated", "afk_channel_id": null, "afk_timeout": 300,
        "widget_enabled": false, "widget_channel_id": null, "verification_level": 1,
        "default_message_notifications": 1, "explicit_content_filter": 0, "roles": roles(guild), "emojis": [],
        "stickers": [], "features": [], "mfa_level": 0, "application_id": null, "system_channel_id": null,
        "system_channel_flags": 0, "rules_channel_id": null, "max_presences": null, "max_members": 500_000,
        "vanity_url_code": null, "description": null, "banner": null, "premium_tier": 0,
        "premium_subscription_count": 0, "preferred_locale": "en-US", "public_updates_channel_id": null,
        "max_video_channel_users": 25, "max_stage_video_channel_users": 50, "nsfw_level": 0, "nsfw": false,
        "premium_progress_bar_enabled": false, "safety_alerts_channel_id": null,
    });
    if counts {
        body["approximate_member_count"] = json!(guild.members.len());
        body["approximate_presence_count"] = json!(1);
    }
    body
}

/// A guild in the list of one of its members.
pub(crate) fn own_guild(id: GuildId, guild: &Guild, user: ChatId, member: &Member) -> Value {
    let owner = guild.owner == Some(user);
    let permissions = if owner { ALL_PERMISSIONS } else { guild.permissions(&member.roles) };
    json!({
        "id": id, "name": guild.name, "icon": pictures::hash_of(id.get()), "banner": null, "owner": owner,
        "permissions": permissions.to_string(), "features": [],
    })
}

pub(crate) fn connection(connection: &Connection) -> Value {
    let Connection { platform, id, name, verified, revoked } = connection;
    json!({
        "type": platform, "id": id, "name": name, "verified": verified, "revoked": revoked, "integrations": [],
        "friend_sync": false, "show_activity": false, "two_way_link": false, "visibility": 1, "metadata_visibility": 1,
    })
}

pub(crate) fn application(
    members_intent: bool,
    guilds: usize,
    endpoint: Option<&Uri>,
    redirects: &[String],
) -> Value {
    let endpoint = endpoint.map(ToString::to_string);
    let owner = ChatId::try_from(OWNER).map(|owner| user(owner, false)).unwrap_or_default();
    json!({
        "id": BOT_USER.to_string(), "name": "guildhall", "icon": null, "description": "", "summary": "", "type": null,
        "bot_public": false, "bot_require_code_grant": false, "verify_key": Application::PUBLIC_KEY, "hook": true,
        "flags": if members_intent { MEMBERS_INTENT } else { 0 }, "team": null, "owner": owner,
        "approximate_guild_count": guilds, "approximate_user_install_count": 0, "redirect_uris": redirects,
        "approximate_user_authorization_count": 0, "interactions_endpoint_url": endpoint,
        "role_connections_verification_url": null, "event_webhooks_url": null, "event_webhooks_status": 1,
        "integration_types_config": { "0": {} },
    })
}

/// A message as the platform sends it.
pub(crate) fn message(message: &Message) -> Value {
    let ephemeral = if message.ephemeral_for.is_some() { EPHEMERAL } else { 0 };
    let loading = if message.thinking { LOADING } else { 0 };
    let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, false);
    let kind = if message.answers.is_some() { COMMAND_ANSWER } else { ORDINARY };
    json!({
        "id": message.id, "type": kind, "channel_id": message.channel, "author": bot(),
        "content": message.content, "embeds": message.embeds, "components": message.components, "attachments": [],
        "mentions": [], "mention_roles": [], "mention_everyone": false, "pinned": false, "tts": false,
        "timestamp": time(message.id.created()), "edited_timestamp": message.edited.map(time),
        "flags": ephemeral | loading, "application_id": BOT_USER.to_string(),
    })
}
