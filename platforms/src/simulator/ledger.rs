//! What came to pass in a guild, for judges: how often each member was updated and each channel as it was made.

use serde_json::{Value, json};

use super::chat::read_guild;
use super::reply::Reply;
use super::router::Input;
use super::server::Simulator;
use super::world::Member;

/// Of one member, updates that were carried out since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Updates {
    /// All of them, also those that set what was set already.
    all: u32,
    /// Those after which the member was not the same.
    changing: u32,
}

impl Updates {
    pub(super) fn count(&mut self, changed: bool) {
        self.all += 1;
        self.changing += u32::from(changed);
    }
}

/// `GET /control/chat/guilds/:guild/ledger`: all members (the bot aside) and all channels.
pub(super) fn ledger(simulator: &Simulator, input: &Input) -> Reply {
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
