//! Reports of the control side on the guilds: tests compare them with their requests.

use serde_json::{Value, json};

use crate::endpoints::guild::read_guild;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::Member;

/// `GET /control/chat/guilds/:guild/state`: all members (the bot aside) and all channels.
pub(crate) fn guild_state(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| {
        let members = guild.members.iter().filter(|(_, member)| !member.bot).map(|(id, member)| {
            let Member { nick, roles, updates, .. } = member;
            json!({ "chat_id": id, "nick": nick, "roles": roles, "updates": updates.all,
                    "changing_updates": updates.changing })
        });
        let channels = guild
            .channels
            .iter()
            .map(|(id, channel)| json!({ "id": id, "name": channel.name, "topic": channel.topic }));
        Ok(Reply::ok(json!({
            "members": members.collect::<Vec<Value>>(),
            "channels": channels.collect::<Vec<Value>>(),
        })))
    })
}

/// `GET /control/updates?after=N`: successful updates of members in their order, without the first N, each as
/// `[milliseconds since the start or reset, guild, user]`.
pub(crate) fn updates(simulator: &Simulator, input: &Input) -> Reply {
    match input.query("after").map_or(Ok(0), str::parse) {
        Ok(after) => Reply::ok(simulator.records().stats.timeline.report(after)),
        Err(_) => Reply::bad_control("after: must be a whole number"),
    }
}

/// `GET /control/chat/guilds/:guild/audit-log`: successful changes, oldest first.
pub(crate) fn audit_log(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, _, _| {
        Ok(Reply::ok(json!({ "entries": simulator.records().audit.of(input.param("guild")) })))
    })
}
