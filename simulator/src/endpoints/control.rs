//! The control side: statistics, faults, state changes. Only tests and demos use it.

pub(crate) mod conversations;
pub(crate) mod linking;

use std::time::SystemTime;

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::endpoints::guild::{read_guild, user_id};
use crate::endpoints::members::read_nick;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, Member, SimulatorState};
use crate::stream::events::Look;

pub(crate) fn routes(simulator: &Simulator, _: &Input) -> Reply {
    Reply::ok(json!({ "routes": simulator.route_names }))
}

pub(crate) fn stats(simulator: &Simulator, _: &Input) -> Reply {
    Reply::ok(simulator.records().stats.report())
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

/// A chat member (`guild_id`, `chat_id`), a group member (`group_id`, `play_id`), or both. A new member
/// joins; absent fields stay unchanged; `remove` removes the member.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberForm {
    guild_id: Option<GuildId>,
    chat_id: Option<ChatId>,
    roles: Option<Vec<RoleId>>,
    #[serde(default, deserialize_with = "present")]
    nick: Option<Value>,
    group_id: Option<GroupId>,
    play_id: Option<PlayId>,
    /// An empty list removes the user from the group.
    ranks: Option<Vec<i16>>,
    /// Whether the member still has to pass the guild's screening.
    pending: Option<bool>,
    username: Option<Box<str>>,
    display_name: Option<Box<str>>,
    #[serde(default)]
    remove: bool,
}

/// Distinguishes null from absent.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub(crate) fn change_members(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: MemberForm| {
        let mut state = simulator.state_mut();
        let chat = change_chat_member(&mut state, &form)?;
        let play = change_group_member(&mut state, &form)?;
        let changed = chat || play;
        changed.then_some(()).ok_or("guild_id: give guild_id and chat_id, or group_id and play_id".into())
    })
}

fn change_chat_member(state: &mut SimulatorState, form: &MemberForm) -> Result<bool, String> {
    let (guild_id, chat_id) = match (form.guild_id, form.chat_id) {
        (Some(guild), Some(chat)) => (guild, chat),
        (None, None) => return Ok(false),
        (None, _) => return Err("guild_id: missing beside chat_id".into()),
        (_, None) => return Err("chat_id: missing beside guild_id".into()),
    };
    let SimulatorState { guilds, users, stream, .. } = state;
    let guild = guilds.get_mut(&guild_id).ok_or("guild_id: unknown guild")?;
    let before = Look::at(guild, chat_id);
    if let Some(role) = form.roles.iter().flatten().find(|role| !guild.roles.contains_key(role)) {
        return Err(format!("roles: unknown role {role}"));
    }
    let nick = form.nick.as_ref().map(read_nick).transpose();
    let nick = nick.map_err(|_| "nick: must be null or a text of at most 32 characters")?;
    if form.remove {
        guild.members.remove(&chat_id).ok_or("chat_id: not a member")?;
        stream.announce(guild_id, guild, chat_id, &before);
        return Ok(true);
    }
    users.insert(chat_id);
    let joining = || Member { joined: Some(SystemTime::now().into()), ..Member::default() };
    let member = guild.members.entry(chat_id).or_insert_with(joining);
    member.pending = form.pending.unwrap_or(member.pending);
    if let Some(roles) = &form.roles {
        member.roles = roles.clone().into();
    }
    if let Some(nick) = nick {
        member.nick = nick;
    }
    stream.announce(guild_id, guild, chat_id, &before);
    Ok(true)
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

fn change_group_member(state: &mut SimulatorState, form: &MemberForm) -> Result<bool, String> {
    let Some(play_id) = form.play_id else {
        return if form.group_id.is_some() {
            Err("play_id: missing beside group_id".into())
        } else {
            Ok(false)
        };
    };
    if let Some(group_id) = form.group_id {
        let group = state.groups.get_mut(&group_id).ok_or("group_id: unknown group")?;
        let mut ranks = form.ranks.clone().unwrap_or_default();
        if let Some(rank) = ranks.iter().find(|rank| !group.roles.iter().any(|role| role.rank == **rank)) {
            return Err(format!("ranks: no role has the rank {rank}"));
        }
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        if ranks.is_empty() || form.remove {
            group.members.remove(&play_id);
        } else {
            group.members.insert(play_id, ranks.into());
        }
    } else if form.username.is_none() && form.display_name.is_none() {
        return Err("group_id: missing beside play_id".into());
    }
    if let Some(name) = &form.username {
        state.names.insert(play_id, name.clone());
    }
    if let Some(name) = &form.display_name {
        state.display_names.insert(play_id, name.clone());
    }
    Ok(true)
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
