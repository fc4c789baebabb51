//! The control side: statistics, faults, state changes. Only tests and demos use it.

use std::time::Duration;

use entities::{ChatId, GroupId, GuildId, PlayId, RoleId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::endpoints::guild::{read_guild, user_id};
use crate::endpoints::members::read_nick;
use crate::faults::{ANY_ROUTE, Fault};
use crate::huge::Huge;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::SimulatorState;

const MAX_HANG_MS: u64 = 600_000;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultForm {
    route: String,
    guild_id: Option<GuildId>,
    status: Option<u16>,
    hang_ms: Option<u64>,
    huge_bytes: Option<u64>,
    #[serde(default)]
    content_length: bool,
    #[serde(default)]
    served: bool,
    count: Option<u64>,
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
    code: Option<i64>,
}

pub(crate) fn add_fault(simulator: &Simulator, input: &Input) -> Reply {
    let fault = serde_json::from_slice(&input.body)
        .map_err(|error| error.to_string())
        .and_then(|form: FaultForm| read_fault(simulator, form));
    match fault {
        Ok(fault) => {
            simulator.records().faults.add(fault);
            Reply::empty()
        }
        Err(message) => Reply::bad_control(message),
    }
}

fn read_fault(simulator: &Simulator, form: FaultForm) -> Result<Fault, String> {
    if form.route != ANY_ROUTE && !simulator.route_names.contains(&form.route.as_str()) {
        return Err(format!("route: {:?} is not served; see GET /control/routes", form.route));
    }
    if form.status.is_some_and(|status| !(400..=599).contains(&status)) {
        return Err("status: must be 400 to 599".to_owned());
    }
    if form.hang_ms.is_some_and(|hang| hang > MAX_HANG_MS) {
        return Err(format!("hang_ms: must be at most {MAX_HANG_MS}"));
    }
    if form.status.is_none() && form.hang_ms.is_none() && form.huge_bytes.is_none() {
        return Err("status: give status, hang_ms, huge_bytes or several of them".to_owned());
    }
    if form.count == Some(0) {
        return Err("count: must be at least 1".to_owned());
    }
    let retry_after = form.retry_after.unwrap_or(1.0);
    if !(0.0..=3600.0).contains(&retry_after) {
        return Err("retry_after: must be 0 to 3600 seconds".to_owned());
    }
    Ok(Fault {
        route: form.route,
        guild: form.guild_id,
        status: form.status,
        hang: form.hang_ms.map(Duration::from_millis),
        huge: form.huge_bytes.map(|bytes| Huge { bytes, content_length: form.content_length }),
        served: form.served,
        count: form.count.unwrap_or(1),
        retry_after,
        global: form.global,
        code: form.code,
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
    username: Option<Box<str>>,
    #[serde(default)]
    remove: bool,
}

/// Distinguishes null from absent.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub(crate) fn change_members(simulator: &Simulator, input: &Input) -> Reply {
    let changed = serde_json::from_slice(&input.body).map_err(|error| error.to_string()).and_then(
        |form: MemberForm| {
            let mut state = simulator.state_mut();
            let chat = change_chat_member(&mut state, &form)?;
            let play = change_group_member(&mut state, &form)?;
            if chat || play {
                Ok(())
            } else {
                Err("guild_id: give guild_id and chat_id, or group_id and play_id".into())
            }
        },
    );
    changed.map_or_else(Reply::bad_control, |()| Reply::empty())
}

fn change_chat_member(state: &mut SimulatorState, form: &MemberForm) -> Result<bool, String> {
    let (guild_id, chat_id) = match (form.guild_id, form.chat_id) {
        (Some(guild), Some(chat)) => (guild, chat),
        (None, None) => return Ok(false),
        (None, _) => return Err("guild_id: missing beside chat_id".into()),
        (_, None) => return Err("chat_id: missing beside guild_id".into()),
    };
    let guild = state.guilds.get_mut(&guild_id).ok_or("guild_id: unknown guild")?;
    if let Some(role) = form.roles.iter().flatten().find(|role| !guild.roles.contains_key(role)) {
        return Err(format!("roles: unknown role {role}"));
    }
    let nick = form.nick.as_ref().map(read_nick).transpose();
    let nick = nick.map_err(|_| "nick: must be null or a text of at most 32 characters")?;
    if form.remove {
        return guild.members.remove(&chat_id).map(|_| true).ok_or_else(|| "chat_id: not a member".into());
    }
    state.users.insert(chat_id);
    let member = guild.members.entry(chat_id).or_default();
    if let Some(roles) = &form.roles {
        member.roles = roles.clone().into();
    }
    if let Some(nick) = nick {
        member.nick = nick;
    }
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentsForm {
    guild_members: bool,
}

/// Like the developer portal: turns the privileged intent of the bot's application on or off.
pub(crate) fn change_intents(simulator: &Simulator, input: &Input) -> Reply {
    match serde_json::from_slice::<IntentsForm>(&input.body) {
        Ok(form) => {
            simulator.state_mut().members_intent = form.guild_members;
            Reply::empty()
        }
        Err(error) => Reply::bad_control(error.to_string()),
    }
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
    } else if form.username.is_none() {
        return Err("group_id: missing beside play_id".into());
    }
    if let Some(name) = &form.username {
        state.names.insert(play_id, name.clone());
    }
    Ok(true)
}
