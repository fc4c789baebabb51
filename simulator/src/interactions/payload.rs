//! The body of an interaction, with every field of the platform's.

use serde_json::{Value, json};

use crate::conversations::Interaction;
use crate::interactions::kinds::PING;
use crate::objects;
use crate::snowflake::Snowflake;
use crate::state::{BOT_USER, SimulatorState};

const LOCALE: &str = "en-US";
/// Contexts: in a guild, or in the direct messages with the bot.
const IN_GUILD: u64 = 0;
const WITH_BOT: u64 = 1;
/// Bytes that a person may attach.
const ATTACHMENT_LIMIT: u64 = 10 << 20;

pub(super) fn ping(id: Snowflake) -> Value {
    json!({
        "id": id, "application_id": BOT_USER.to_string(), "type": PING, "token": "ping", "version": 1,
        "user": objects::bot(), "entitlements": [],
    })
}

/// `data`: what the person did. `None` if guild or member are gone.
pub(super) fn body(
    state: &SimulatorState,
    id: Snowflake,
    interaction: &Interaction,
    data: Value,
) -> Option<Value> {
    let Interaction { kind, token, user, channel, source, .. } = interaction;
    let mut body = json!({
        "id": id, "application_id": BOT_USER.to_string(), "type": kind, "data": data, "channel_id": channel,
        "token": token, "version": 1, "locale": LOCALE, "entitlements": [],
        "attachment_size_limit": ATTACHMENT_LIMIT,
    });
    if let Some(guild_id) = interaction.guild {
        let guild = state.guilds.get(&guild_id)?;
        let permissions = guild.permissions_of(*user, guild.members.get(user)?).to_string();
        let mut place = objects::channel(guild_id, *channel, guild.channels.get(channel)?);
        place["permissions"] = json!(permissions);
        body["guild_id"] = json!(guild_id);
        body["guild"] = json!({ "id": guild_id, "locale": LOCALE, "features": [] });
        body["guild_locale"] = json!(LOCALE);
        body["channel"] = place;
        body["member"] = objects::acting_member(guild, *user, guild.members.get(user)?);
        body["app_permissions"] = json!(guild.app_permissions().to_string());
        body["authorizing_integration_owners"] = json!({ "0": guild_id });
        body["context"] = json!(IN_GUILD);
    } else {
        body["channel"] = objects::direct_channel(*channel, *user);
        body["user"] = objects::user(*user, false);
        body["app_permissions"] = json!(DIRECT_PERMISSIONS.to_string());
        body["authorizing_integration_owners"] = json!({ "0": "0" });
        body["context"] = json!(WITH_BOT);
    }
    if let Some(message) = source.and_then(|source| state.conversations.messages.get(&source)) {
        body["message"] = objects::message(message);
    }
    Some(body)
}

/// Of the bot in direct messages: attach, embed, mention and send.
const DIRECT_PERMISSIONS: u64 = 1 << 11 | 1 << 14 | 1 << 15 | 1 << 17;
