//! The bot, its application, guilds and their roles.

use serde_json::json;

use crate::endpoints::guild::read_guild;
use crate::objects;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::BOT_USER;

pub(crate) fn bot_user(_: &Simulator, _: &Input) -> Reply {
    Reply::ok(json!({
        "id": BOT_USER.to_string(), "username": "guildhall", "discriminator": "0001", "global_name": null,
        "avatar": null, "bot": true, "mfa_enabled": true, "verified": true, "locale": "en-US", "flags": 0,
        "public_flags": 0, "email": null,
    }))
}

pub(crate) fn application(simulator: &Simulator, _: &Input) -> Reply {
    let state = simulator.state();
    Reply::ok(objects::application(state.members_intent, state.guilds.len()))
}

pub(crate) fn guild(simulator: &Simulator, input: &Input) -> Reply {
    let counts = input.query("with_counts") == Some("true");
    read_guild(simulator, input, |id, guild, _| Ok(Reply::ok(objects::guild(id, guild, counts))))
}

pub(crate) fn roles(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| Ok(Reply::ok(objects::roles(guild))))
}
