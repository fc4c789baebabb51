//! The chat platform's side apart from members: the bot, roles, bans, channels.

use entities::{ChannelId, ChatId, GuildId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::objects;
use super::reply::Reply;
use super::router::Input;
use super::server::Simulator;
use super::world::{BOT_USER, Channel, Guild};

const MAX_CHANNEL_NAME: usize = 100;
const MAX_CHANNELS: usize = 500;

/// The guild of the path, or the answer that there is none.
pub(super) fn guild_id(input: &Input) -> Result<GuildId, Reply> {
    input.param("guild").parse().map_err(|_| not_snowflake("guild_id"))
}

pub(super) fn user_id(input: &Input) -> Result<ChatId, Reply> {
    input.param("user").parse().map_err(|_| not_snowflake("user_id"))
}

pub(super) fn not_snowflake(field: &str) -> Reply {
    Reply::chat_invalid(field, "NUMBER_TYPE_COERCE", "Value is not snowflake.")
}

pub(super) fn unknown_guild() -> Reply {
    Reply::chat_error(404, 10004, "Unknown Guild")
}

/// Either way it is the answer.
pub(super) fn settle(result: Result<Reply, Reply>) -> Reply {
    result.unwrap_or_else(|reply| reply)
}

pub(super) fn read_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(GuildId, &Guild) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let world = simulator.world();
        answer(id, world.guilds.get(&id).ok_or_else(unknown_guild)?)
    }))
}

pub(super) fn change_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(&mut Guild) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let mut world = simulator.world_mut();
        answer(world.guilds.get_mut(&id).ok_or_else(unknown_guild)?)
    }))
}

pub(super) fn bot_user(_: &Simulator, _: &Input) -> Reply {
    Reply::ok(json!({
        "id": BOT_USER.to_string(), "username": "guildhall", "discriminator": "0001", "global_name": null,
        "avatar": null, "bot": true, "mfa_enabled": true, "verified": true, "locale": "en-US", "flags": 0,
        "public_flags": 0, "email": null,
    }))
}

pub(super) fn roles(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild| {
        Ok(Reply::ok(guild.roles.iter().map(|(id, role)| objects::role(*id, role)).collect()))
    })
}

/// A member who is banned leaves the guild.
pub(super) fn ban(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild| {
        let user = user_id(input)?;
        if guild.members.get(&user).is_some_and(|member| guild.highest(&member.roles) >= guild.bot_position())
        {
            return Err(Reply::chat_error(403, 50013, "Missing Permissions"));
        }
        guild.members.remove(&user);
        guild.bans.insert(user, String::new());
        Ok(Reply::empty())
    })
}

pub(super) fn unban(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild| {
        guild.bans.remove(&user_id(input)?).ok_or_else(|| Reply::chat_error(404, 10026, "Unknown Ban"))?;
        Ok(Reply::empty())
    })
}

pub(super) fn channels(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |guild_id, guild| {
        let all = guild.channels.iter().map(|(id, channel)| objects::channel(guild_id, *id, channel));
        Ok(Reply::ok(all.collect()))
    })
}

#[derive(Deserialize)]
struct ChannelForm {
    name: String,
    #[serde(default, rename = "type")]
    kind: u8,
    #[serde(default)]
    topic: Option<String>,
    #[serde(default)]
    parent_id: Option<ChannelId>,
    #[serde(default)]
    permission_overwrites: Option<Value>,
}

pub(super) fn create_channel(simulator: &Simulator, input: &Input) -> Reply {
    settle(guild_id(input).and_then(|guild_id| {
        let form: ChannelForm = serde_json::from_slice(&input.body)
            .map_err(|_| Reply::chat_error(400, 50109, "The request body contains invalid JSON."))?;
        if form.name.is_empty() || form.name.chars().count() > MAX_CHANNEL_NAME {
            let message = "Must be between 1 and 100 in length.";
            return Err(Reply::chat_invalid("name", "BASE_TYPE_BAD_LENGTH", message));
        }
        let mut world = simulator.world_mut();
        world.last_channel += 1;
        let id = ChannelId::try_from(world.last_channel).map_err(|_| not_snowflake("id"))?;
        let guild = world.guilds.get_mut(&guild_id).ok_or_else(unknown_guild)?;
        if guild.channels.len() >= MAX_CHANNELS {
            return Err(Reply::chat_error(400, 30013, "Maximum number of guild channels reached (500)"));
        }
        let channel = Channel {
            // Text channels have no spaces and no capitals.
            name: form.name.to_lowercase().replace(' ', "-"),
            kind: form.kind,
            topic: form.topic,
            parent: form.parent_id,
            overwrites: form.permission_overwrites.unwrap_or_else(|| json!([])),
        };
        let body = objects::channel(guild_id, id, &channel);
        guild.channels.insert(id, channel);
        Ok(Reply::json(201, body))
    }))
}
