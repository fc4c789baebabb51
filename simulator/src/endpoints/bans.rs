//! Bans of the chat platform.

use serde_json::json;

use crate::endpoints::guild::{change_guild, read_guild, unknown_user, user_id};
use crate::objects;
use crate::permissions::{BAN_MEMBERS, missing_permissions};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

fn unknown_ban() -> Reply {
    Reply::chat_error(404, 10026, "Unknown Ban")
}

pub(crate) fn one(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| {
        guild.bot_may(BAN_MEMBERS)?;
        let user = user_id(input)?;
        let reason = guild.bans.get(&user).ok_or_else(unknown_ban)?;
        Ok(Reply::ok(json!({ "reason": reason, "user": objects::user(user, false) })))
    })
}

/// A banned member leaves the guild. Existing users who were never members can be banned too.
pub(crate) fn ban(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild, users| {
        guild.bot_may(BAN_MEMBERS)?;
        let user = user_id(input)?;
        if !users.contains(&user) {
            return Err(unknown_user());
        }
        if guild.members.get(&user).is_some_and(|member| guild.highest(&member.roles) >= guild.bot_position())
        {
            return Err(missing_permissions());
        }
        guild.members.remove(&user);
        guild.bans.insert(user, input.reason.as_deref().map(Box::from));
        Ok(Reply::empty())
    })
}

pub(crate) fn unban(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild, _| {
        guild.bot_may(BAN_MEMBERS)?;
        guild.bans.remove(&user_id(input)?).ok_or_else(unknown_ban)?;
        Ok(Reply::empty())
    })
}
