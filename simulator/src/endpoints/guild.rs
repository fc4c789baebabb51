//! Look-ups of the guild and the user in a path, and the responses when there is none.

use entities::{ChatId, GuildId};

use crate::form;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, Users};

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

/// Either way it is the answer.
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
        let state = &mut *guard;
        answer(state.guilds.get_mut(&id).ok_or_else(unknown_guild)?, &state.users)
    }))
}
