//! The bot, its application, guilds and their roles; look-ups of the guild and the user in a path.

use entities::{ChatId, GuildId};
use serde_json::{Value, json};

use crate::form;
use crate::objects;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, SimulatorState, Users};
use crate::stream::events::Look;

/// The guild of the path, or its 404.
pub(crate) fn guild_id(input: &Input) -> Result<GuildId, Reply> {
    id(input, "guild", "guild_id")
}

pub(crate) fn user_id(input: &Input) -> Result<ChatId, Reply> {
    id(input, "user", "user_id")
}

pub(crate) fn id<T: std::str::FromStr>(input: &Input, param: &str, field: &str) -> Result<T, Reply> {
    let text = input.param(param);
    text.parse().map_err(|_| form::invalid(field, form::not_snowflake(text)))
}

pub(crate) fn unknown_guild() -> Reply {
    Reply::chat_error(404, 10004, "Unknown Guild")
}

pub(crate) fn unknown_user() -> Reply {
    Reply::chat_error(404, 10013, "Unknown User")
}

/// Both are the answer.
pub(crate) fn settle(result: Result<Reply, Reply>) -> Reply {
    result.unwrap_or_else(|reply| reply)
}

pub(crate) fn read_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(GuildId, &Guild, &Users) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let state = simulator.state();
        answer(id, state.guilds.get(&id).ok_or_else(unknown_guild)?, &state.users)
    }))
}

pub(crate) fn change_guild(
    simulator: &Simulator,
    input: &Input,
    answer: impl FnOnce(&mut Guild, &Users) -> Result<Reply, Reply>,
) -> Reply {
    settle(guild_id(input).and_then(|id| {
        let mut guard = simulator.state_mut();
        let SimulatorState { guilds, users, stream, .. } = &mut *guard;
        let guild = guilds.get_mut(&id).ok_or_else(unknown_guild)?;
        let before = user_id(input).ok().map(|user| (user, Look::at(guild, user)));
        let reply = answer(guild, users)?;
        if let Some((user, before)) = before {
            stream.announce(id, guild, user, &before);
        }
        Ok(reply)
    }))
}

pub(crate) fn bot_user(_: &Simulator, _: &Input) -> Reply {
    let mut bot = objects::bot();
    for (name, value) in [("mfa_enabled", json!(true)), ("verified", json!(true)), ("locale", json!("en-US"))]
    {
        bot[name] = value;
    }
    bot["email"] = Value::Null;
    Reply::ok(bot)
}

/// Any existing user, in a guild of the bot or not.
pub(crate) fn user(simulator: &Simulator, input: &Input) -> Reply {
    settle(user_id(input).map(|user| {
        let known = simulator.state().users.contains(&user);
        if known { Reply::ok(objects::user(user, false)) } else { unknown_user() }
    }))
}

pub(crate) fn one(simulator: &Simulator, input: &Input) -> Reply {
    let counts = input.query("with_counts") == Some("true");
    read_guild(simulator, input, |id, guild, _| Ok(Reply::ok(objects::guild(id, guild, counts))))
}

pub(crate) fn roles(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| Ok(Reply::ok(objects::roles(guild))))
}
