//! Channels of the chat platform.

use entities::{ChannelId, RoleId};
use serde_json::{Map, Value};

use crate::endpoints::guild::{guild_id, read_guild, settle, unknown_guild};
use crate::form::{self, FormErrors};
use crate::objects;
use crate::permissions::MANAGE_CHANNELS;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Channel, Guild, Overwrite};

const MAX_NAME: usize = 100;
const MAX_TOPIC: usize = 1024;
const MAX_CHANNELS: usize = 500;
const TEXT: u64 = 0;
const CATEGORY: u8 = 4;
const KINDS: [u64; 8] = [TEXT, 2, 4, 5, 13, 14, 15, 16];
const OVERWRITE_KINDS: [u64; 2] = [0, 1];

pub(crate) fn list(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |guild_id, guild, _| {
        let all = guild.channels.iter().map(|(id, channel)| objects::channel(guild_id, *id, channel));
        Ok(Reply::ok(all.collect()))
    })
}

pub(crate) fn create(simulator: &Simulator, input: &Input) -> Reply {
    settle(guild_id(input).and_then(|guild_id| {
        let mut state = simulator.state_mut();
        let next = state.last_channel + 1;
        let guild = state.guilds.get_mut(&guild_id).ok_or_else(unknown_guild)?;
        guild.bot_may(MANAGE_CHANNELS)?;
        let channel = read(guild, &form::read(&input.body)?)?;
        if guild.channels.len() >= MAX_CHANNELS {
            return Err(Reply::chat_error(400, 30013, "Maximum number of guild channels reached (500)"));
        }
        let id =
            ChannelId::try_from(next).map_err(|_| Reply::chat_error(500, 0, "500: Internal Server Error"))?;
        let body = objects::channel(guild_id, id, &channel);
        guild.channels.insert(id, channel);
        state.last_channel = next;
        Ok(Reply::json(201, body))
    }))
}

fn read(guild: &Guild, form: &Map<String, Value>) -> Result<Channel, Reply> {
    let mut errors = FormErrors::default();
    let name = read_name(form, &mut errors);
    let kind = read_choice("type", form.get("type"), &KINDS, &mut errors);
    let topic = read_topic(form, &mut errors);
    let parent = read_parent(guild, form, &mut errors);
    let overwrites = read_overwrites(form, &mut errors);
    errors.into_result()?;
    let strange = |overwrite: &&Overwrite| {
        let role = RoleId::try_from(overwrite.id).ok();
        overwrite.kind == 0 && !role.is_some_and(|role| guild.roles.contains_key(&role))
    };
    if overwrites.iter().find(strange).is_some() {
        return Err(Reply::chat_error(404, 10009, "Unknown Permission Overwrite"));
    }
    Ok(Channel { name, kind, topic, parent, overwrites })
}

/// Text channels have no spaces and no capitals.
fn read_name(form: &Map<String, Value>, errors: &mut FormErrors) -> String {
    match form.get("name") {
        None | Some(Value::Null) => errors.add("name", form::required()),
        Some(Value::String(name)) if (1..=MAX_NAME).contains(&name.chars().count()) => {
            return name.to_lowercase().replace(' ', "-");
        }
        Some(Value::String(_)) => errors.add("name", form::bad_length(1, MAX_NAME)),
        Some(_) => errors.add("name", form::not_a_text()),
    }
    String::new()
}

fn read_choice(path: &str, value: Option<&Value>, choices: &[u64], errors: &mut FormErrors) -> u8 {
    let chosen = value.filter(|value| !value.is_null()).map_or(Some(0), Value::as_u64);
    let known = chosen.filter(|chosen| choices.contains(chosen)).and_then(|chosen| u8::try_from(chosen).ok());
    known.unwrap_or_else(|| {
        errors.add(path, form::not_a_choice(choices));
        0
    })
}

fn read_topic(form: &Map<String, Value>, errors: &mut FormErrors) -> Option<String> {
    match form.get("topic")? {
        Value::Null => {}
        Value::String(topic) if topic.chars().count() <= MAX_TOPIC => return Some(topic.clone()),
        Value::String(_) => errors.add("topic", form::too_long(MAX_TOPIC)),
        _ => errors.add("topic", form::not_a_text()),
    }
    None
}

fn read_parent(guild: &Guild, form: &Map<String, Value>, errors: &mut FormErrors) -> Option<ChannelId> {
    let value = form.get("parent_id").filter(|value| !value.is_null())?;
    let Some(id) = snowflake(value).and_then(|id| ChannelId::try_from(id).ok()) else {
        errors.add("parent_id", form::not_snowflake(&bare(value)));
        return None;
    };
    match guild.channels.get(&id).map(|channel| channel.kind) {
        Some(CATEGORY) => return Some(id),
        Some(_) => errors.add("parent_id", ("CHANNEL_PARENT_INVALID_TYPE", "Not a category".to_owned())),
        None => errors.add("parent_id", ("CHANNEL_PARENT_INVALID", "Category does not exist".to_owned())),
    }
    None
}

fn read_overwrites(form: &Map<String, Value>, errors: &mut FormErrors) -> Vec<Overwrite> {
    match form.get("permission_overwrites") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => {
            let one = |(index, value)| read_overwrite(index, value, errors);
            list.iter().enumerate().filter_map(one).collect()
        }
        Some(_) => {
            errors.add("permission_overwrites", form::not_a_list());
            Vec::new()
        }
    }
}

fn read_overwrite(index: usize, value: &Value, errors: &mut FormErrors) -> Option<Overwrite> {
    let path = |field: &str| format!("permission_overwrites.{index}.{field}");
    let kind = read_choice(&path("type"), value.get("type"), &OVERWRITE_KINDS, errors);
    let mut bits = |field: &str| match value.get(field).filter(|bits| !bits.is_null()) {
        None => 0,
        Some(bits) => number(bits).unwrap_or_else(|| {
            errors.add(&path(field), form::not_a_number(&bare(bits)));
            0
        }),
    };
    let (allow, deny) = (bits("allow"), bits("deny"));
    match value.get("id") {
        None | Some(Value::Null) => errors.add(&path("id"), form::required()),
        Some(id) => match snowflake(id) {
            Some(id) => return Some(Overwrite { id, kind, allow, deny }),
            None => errors.add(&path("id"), form::not_snowflake(&bare(id))),
        },
    }
    None
}

/// Ids and permissions are digits in a string, or a number.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn snowflake(value: &Value) -> Option<i64> {
    number(value).and_then(|id| i64::try_from(id).ok()).filter(|id| *id > 0)
}

/// As in the platform's message: a string without its quotes.
fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
