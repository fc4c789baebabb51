//! The data of a command as a person typed it: the options by the types that the command was registered with.

use entities::{ChannelId, ChatId, GuildId, RoleId};
use serde_json::{Map, Value, json};

use crate::objects;
use crate::state::{Guild, SimulatorState};

pub(crate) const SUBCOMMAND: u64 = 1;
pub(crate) const GROUP: u64 = 2;
pub(crate) const STRING: u64 = 3;
pub(crate) const INTEGER: u64 = 4;
pub(crate) const BOOLEAN: u64 = 5;
pub(crate) const USER: u64 = 6;
pub(crate) const CHANNEL: u64 = 7;
pub(crate) const ROLE: u64 = 8;
pub(crate) const MENTIONABLE: u64 = 9;
pub(crate) const NUMBER: u64 = 10;
pub(crate) const ATTACHMENT: u64 = 11;

/// `typed` is the command's name, and the names of group and subcommand behind it.
pub(super) fn data(
    state: &SimulatorState,
    guild_id: GuildId,
    typed: &str,
    options: &Map<String, Value>,
) -> Result<Value, String> {
    let mut names = typed.split_whitespace();
    let name = names.next().unwrap_or_default();
    let command = state.conversations.command(guild_id, name);
    let command = command.ok_or_else(|| format!("command: {name:?} is not registered"))?;
    let guild = state.guilds.get(&guild_id).ok_or("guild_id: unknown guild")?;
    let mut resolved = Resolved { state, guild_id, guild, found: Map::new() };
    let filled = level(command, &names.collect::<Vec<_>>(), options, &mut resolved)?;
    let mut data = json!({ "id": command["id"], "name": name, "type": 1 });
    if !filled.is_empty() {
        data["options"] = filled.into();
    }
    if !resolved.found.is_empty() {
        data["resolved"] = resolved.found.into();
    }
    if let Some(guild) = command.get("guild_id") {
        data["guild_id"] = guild.clone();
    }
    Ok(data)
}

/// The options of a command, or of the group or subcommand that `names` lead to.
pub(crate) fn options_at<'c>(command: &'c Value, names: &[&str]) -> Option<&'c Value> {
    names.iter().try_fold(command, |at, name| {
        let options = at["options"].as_array()?;
        options.iter().find(|option| option["name"] == *name && is_nested(option))
    })
}

pub(crate) fn is_nested(option: &Value) -> bool {
    option["type"] == SUBCOMMAND || option["type"] == GROUP
}

fn level(
    at: &Value,
    names: &[&str],
    given: &Map<String, Value>,
    resolved: &mut Resolved<'_>,
) -> Result<Vec<Value>, String> {
    if let Some((name, rest)) = names.split_first() {
        let inner = options_at(at, &[*name]).ok_or_else(|| format!("command: no subcommand {name:?}"))?;
        let filled = level(inner, rest, given, resolved)?;
        return Ok(vec![json!({ "name": name, "type": inner["type"], "options": filled })]);
    }
    let none = Vec::new();
    let defined = at["options"].as_array().unwrap_or(&none);
    if defined.iter().any(is_nested) {
        return Err("command: name one of its subcommands".to_owned());
    }
    if let Some(unknown) = given.keys().find(|name| !defined.iter().any(|one| one["name"] == name.as_str())) {
        return Err(format!("options: the command has no option {unknown:?}"));
    }
    let mut filled = Vec::new();
    for option in defined {
        let name = option["name"].as_str().unwrap_or_default();
        match given.get(name).filter(|value| !value.is_null()) {
            None if option["required"] == true => return Err(format!("options: {name} is required")),
            None => {}
            Some(value) => {
                let value =
                    read(option, value, resolved).map_err(|what| format!("options: {name} {what}"))?;
                filled.push(json!({ "name": name, "type": option["type"], "value": value }));
            }
        }
    }
    Ok(filled)
}

/// A value in the type of its option; texts stand for values of each type, as people type them.
fn read(option: &Value, value: &Value, resolved: &mut Resolved<'_>) -> Result<Value, &'static str> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let read = match option["type"].as_u64().unwrap_or_default() {
        STRING => {
            let length = text.chars().count() as u64;
            let limit = |name: &str, default| option[name].as_u64().unwrap_or(default);
            if !(limit("min_length", 0)..=limit("max_length", 6000)).contains(&length) {
                return Err("has a wrong length");
            }
            json!(text)
        }
        INTEGER => json!(text.parse::<i64>().map_err(|_| "must be an integer")?),
        NUMBER => json!(text.parse::<f64>().map_err(|_| "must be a number")?),
        BOOLEAN => json!(text.parse::<bool>().map_err(|_| "must be true or false")?),
        kind => {
            resolved.add(kind, &text)?;
            json!(text)
        }
    };
    if let Some(number) = read.as_f64() {
        let outside = |name: &str, is: fn(&f64, &f64) -> bool| {
            option[name].as_f64().is_some_and(|limit| is(&number, &limit))
        };
        if outside("min_value", f64::lt) || outside("max_value", f64::gt) {
            return Err("is out of range");
        }
    }
    let choices = option["choices"].as_array().filter(|choices| !choices.is_empty());
    if choices.is_some_and(|choices| !choices.iter().any(|choice| choice["value"] == read)) {
        return Err("is not one of the choices");
    }
    Ok(read)
}

/// The objects that options name.
pub(super) struct Resolved<'s> {
    pub(super) state: &'s SimulatorState,
    pub(super) guild_id: GuildId,
    pub(super) guild: &'s Guild,
    pub(super) found: Map<String, Value>,
}

impl Resolved<'_> {
    /// `kind` is the type of the option.
    pub(super) fn add(&mut self, kind: u64, id: &str) -> Result<(), &'static str> {
        let is_known = match kind {
            USER => self.add_user(id),
            ROLE => self.add_role(id),
            MENTIONABLE => self.add_user(id).or_else(|| self.add_role(id)),
            CHANNEL => self.add_channel(id),
            _ => return Err("has a type that the simulator does not send"),
        };
        is_known.ok_or("is unknown here")
    }

    fn add_user(&mut self, id: &str) -> Option<()> {
        let user: ChatId = id.parse().ok().filter(|user| self.state.users.contains(user))?;
        let member = self.guild.members.get(&user);
        self.put("users", id, objects::user(user, member.is_some_and(|member| member.bot)));
        if let Some(member) = member {
            let mut body = objects::acting_member(self.guild, user, member);
            if let Some(fields) = body.as_object_mut() {
                fields.retain(|name, _| !["user", "deaf", "mute"].contains(&name.as_str()));
            }
            self.put("members", id, body);
        }
        Some(())
    }

    fn add_role(&mut self, id: &str) -> Option<()> {
        let role: RoleId = id.parse().ok()?;
        let body = objects::role(role, self.guild.roles.get(&role)?);
        self.put("roles", id, body);
        Some(())
    }

    fn add_channel(&mut self, id: &str) -> Option<()> {
        let channel: ChannelId = id.parse().ok()?;
        let body = objects::channel(self.guild_id, channel, self.guild.channels.get(&channel)?);
        self.put("channels", id, body);
        Some(())
    }

    fn put(&mut self, kind: &str, id: &str, body: Value) {
        self.found.entry(kind).or_insert_with(|| json!({}))[id] = body;
    }
}
