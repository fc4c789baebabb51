//! Bans of the chat platform.

use entities::{ChatId, GuildId};
use serde::Deserialize;
use serde_json::json;

use crate::endpoints::control;
use crate::endpoints::guild::{change_guild, read_guild, unknown_user, user_id};
use crate::form;
use crate::objects;
use crate::permissions::{BAN_MEMBERS, VIEW_AUDIT_LOG, missing_permissions};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{SimulatorState, bot_user};
use crate::stream::events::Look;

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
        guild.ban(bot_user(), user, input.reason.as_deref().map(Box::from));
        Ok(Reply::empty())
    })
}

pub(crate) fn unban(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild, _| {
        guild.bot_may(BAN_MEMBERS)?;
        let (user, reason) = (user_id(input)?, input.reason.as_deref().map(Box::from));
        guild.lift_ban(bot_user(), user, reason).then(Reply::empty).ok_or_else(unknown_ban)
    })
}

/// The guild's audit log, of which the simulator keeps what happened to bans.
pub(crate) fn log(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| {
        guild.bot_may(VIEW_AUDIT_LOG)?;
        let number = |name: &str| {
            let sent = input.query(name).map(str::parse::<u8>).transpose();
            sent.map_err(|_| form::invalid(name, ("NUMBER_TYPE_COERCE", "Value is not int.".to_owned())))
        };
        let (kind, limit) = (number("action_type")?, number("limit")?.unwrap_or(50));
        let after = input.query("after").unwrap_or_default();
        let not_id = |_| form::invalid("after", form::not_snowflake(after));
        let after = Some(after).filter(|id| !id.is_empty()).map(str::parse).transpose().map_err(not_id)?;
        let entries = guild.ban_log.entries(kind, after, limit.clamp(1, 100).into());
        Ok(Reply::ok(json!({ "audit_log_entries": entries, "users": [], "webhooks": [] })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BanForm {
    guild_id: GuildId,
    chat_id: ChatId,
    /// The moderator.
    by: ChatId,
    reason: Option<Box<str>>,
    #[serde(default)]
    lift: bool,
}

/// A ban or its lift by somebody else than the bot.
pub(crate) fn by_others(simulator: &Simulator, input: &Input) -> Reply {
    control::change(input, |BanForm { guild_id, chat_id, by, reason, lift }: BanForm| {
        let mut state = simulator.state_mut();
        let SimulatorState { guilds, users, stream, .. } = &mut *state;
        let guild = guilds.get_mut(&guild_id).ok_or("guild_id: unknown guild")?;
        let before = Look::at(guild, chat_id);
        if !lift {
            users.insert(chat_id);
            guild.ban(Some(by), chat_id, reason);
        } else if !guild.lift_ban(Some(by), chat_id, reason) {
            return Err("chat_id: not banned".to_owned());
        }
        stream.announce(guild_id, guild, chat_id, &before);
        Ok(())
    })
}
