//! The chat platform's side: the bot, its application, guilds and their roles; and how handlers reach a guild.

use std::collections::HashSet;

use entities::{ChatId, GuildId};
use serde_json::json;

use super::form;
use super::objects;
use super::reply::Reply;
use super::router::Input;
use super::server::Simulator;
use super::world::{BOT_USER, Guild};

/// Everybody who has an account, whether a member of some guild or not.
pub(super) type Users = HashSet<ChatId>;

/// The guild of the path, or the answer that there is none.
pub(super) fn guild_id(input: &Input) -> Result<GuildId, Reply> {
    id(input, "guild", "guild_id")
}

pub(super) fn user_id(input: &Input) -> Result<ChatId, Reply> {
    id(input, "user", "user_id")
}

pub(super) fn id<T: std::str::FromStr>(input: &Input, param: &str, field: &str) -> Result<T, Reply> {
    let text = input.param(param);
    text.parse().map_err(|_| form::invalid(field, form::not_snowflake(text)))
}

pub(super) fn unknown_guild() -> Reply {
    Reply::chat_error(404, 10004, "Unknown Guild")
}

pub(super) fn unknown_user() -> Reply {
    Reply::chat_error(404, 10013, "Unknown User")
}

/// Either way it is the answer.
pub(super) fn settle(result: Result<Reply, Reply>) -> Reply {
    result.unwrap_or_else(|reply| reply)
}

pub(super) fn read_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(GuildId, &Guild, &Users) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let world = simulator.world();
        answer(id, world.guilds.get(&id).ok_or_else(unknown_guild)?, &world.users)
    }))
}

pub(super) fn change_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(&mut Guild, &Users) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let mut guard = simulator.world_mut();
        let world = &mut *guard;
        answer(world.guilds.get_mut(&id).ok_or_else(unknown_guild)?, &world.users)
    }))
}

pub(super) fn bot_user(_: &Simulator, _: &Input) -> Reply {
    Reply::ok(json!({
        "id": BOT_USER.to_string(), "username": "guildhall", "discriminator": "0001", "global_name": null,
        "avatar": null, "bot": true, "mfa_enabled": true, "verified": true, "locale": "en-US", "flags": 0,
        "public_flags": 0, "email": null,
    }))
}

pub(super) fn application(simulator: &Simulator, _: &Input) -> Reply {
    let world = simulator.world();
    Reply::ok(objects::application(world.members_intent, world.guilds.len()))
}

pub(super) fn guild(simulator: &Simulator, input: &Input) -> Reply {
    let counts = input.query("with_counts") == Some("true");
    read_guild(simulator, input, |id, guild, _| Ok(Reply::ok(objects::guild(id, guild, counts))))
}

pub(super) fn roles(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| Ok(Reply::ok(objects::roles(guild))))
}
