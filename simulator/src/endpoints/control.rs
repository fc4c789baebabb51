//! The control side: statistics, faults, state changes. Only tests and demos use it.

pub(crate) mod conversations;
pub(crate) mod life;
pub(crate) mod linking;

use entities::{GuildId, RoleId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::endpoints::guild::{read_guild, user_id};
use crate::faults::Fault;
use crate::member_change::MemberChange;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, Member, SimulatorState};

pub(crate) fn routes(simulator: &Simulator, _: &Input) -> Reply {
    Reply::ok(json!({ "routes": simulator.route_names }))
}

pub(crate) fn stats(simulator: &Simulator, _: &Input) -> Reply {
    let records = simulator.records();
    let mut report = records.stats.report();
    report["faults_left"] = records.faults.left().into();
    Reply::ok(report)
}

pub(crate) fn reset_stats(simulator: &Simulator, _: &Input) -> Reply {
    simulator.records().stats.reset();
    Reply::empty()
}

pub(crate) fn clear_faults(simulator: &Simulator, input: &Input) -> Reply {
    match input.query("guild_id").map(str::parse).transpose() {
        Ok(guild) => {
            simulator.records().faults.clear(guild);
            Reply::empty()
        }
        Err(_) => Reply::bad_control("guild_id: must be a snowflake"),
    }
}

pub(crate) fn chat_member(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| {
        let id = user_id(input)?;
        let member =
            guild.members.get(&id).ok_or_else(|| Reply::json(404, json!({ "message": "not a member" })))?;
        let banned = guild.bans.contains_key(&id);
        Ok(Reply::ok(json!({ "chat_id": id, "nick": member.nick, "roles": member.roles, "banned": banned })))
    })
}

/// The change that the body requests, or a 400 that names the wrong field.
pub(crate) fn change<T: DeserializeOwned>(
    input: &Input,
    make: impl FnOnce(T) -> Result<(), String>,
) -> Reply {
    let form = serde_json::from_slice(&input.body).map_err(|error| error.to_string());
    form.and_then(make).map_or_else(Reply::bad_control, |()| Reply::empty())
}

pub(crate) fn add_fault(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |fault: Fault| {
        fault.check(&simulator.route_names)?;
        simulator.records().faults.add(fault);
        Ok(())
    })
}

pub(crate) fn change_members(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: MemberChange| form.apply(&mut simulator.state_mut()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleForm {
    guild_id: GuildId,
    role_id: RoleId,
    position: Option<i64>,
    #[serde(default)]
    remove: bool,
}

/// Moves or deletes a role, as an admin of the guild does.
pub(crate) fn change_role(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |RoleForm { guild_id, role_id, position, remove }: RoleForm| {
        let mut state = simulator.state_mut();
        let SimulatorState { guilds, stream, .. } = &mut *state;
        let guild = guilds.get_mut(&guild_id).ok_or("guild_id: unknown guild")?;
        let role = guild.roles.get_mut(&role_id).ok_or("role_id: unknown role")?;
        if remove {
            guild.roles.remove(&role_id);
            for member in guild.members.values_mut() {
                member.roles = member.roles.iter().copied().filter(|held| *held != role_id).collect();
            }
            stream.role_deleted(guild_id, role_id);
        } else {
            role.position = position.ok_or("position: missing")?;
            stream.role_changed(guild_id, role_id, role);
        }
        Ok(())
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentsForm {
    guild_members: bool,
}

/// Like the developer portal: turns the privileged intent of the bot's application on or off.
pub(crate) fn change_intents(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: IntentsForm| {
        simulator.state_mut().members_intent = form.guild_members;
        Ok(())
    })
}

/// `GET /control/chat/guilds/:guild/state`: all members (the bot aside), the channels that were made, and who is banned.
pub(crate) fn guild_state(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |guild_id, guild, _| {
        let members = guild.members.iter().filter(|(_, member)| !member.bot).map(|(id, member)| {
            let Member { nick, roles, updates, .. } = member;
            json!({ "chat_id": id, "nick": nick, "roles": roles, "updates": updates.all,
                    "changing_updates": updates.changing })
        });
        let channels = guild
            .channels
            .iter()
            .filter(|(id, _)| Some(**id) != Guild::general(guild_id))
            .map(|(id, channel)| json!({ "id": id, "name": channel.name, "topic": channel.topic }));
        Ok(Reply::ok(json!({
            "members": members.collect::<Vec<Value>>(),
            "channels": channels.collect::<Vec<Value>>(),
            "bans": guild.bans.keys().collect::<Vec<_>>(),
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
