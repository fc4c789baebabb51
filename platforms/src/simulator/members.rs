//! Members of the chat platform: pages, single ones, and changes under the hierarchy rules.
//!
//! The bot may grant and remove roles below its highest one that no integration manages; roles a member keeps are not
//! looked at. It may rename members who stand below it.

use std::ops::Bound;

use entities::{ChatId, RoleId};
use serde_json::{Map, Value};

use super::chat::{change_guild, not_snowflake, read_guild, user_id};
use super::objects;
use super::reply::Reply;
use super::router::Input;
use super::server::Simulator;
use super::world::{Guild, Member};
use crate::{MAX_NICK_CHARS, MEMBERS_PER_PAGE};

fn unknown_member() -> Reply {
    Reply::chat_error(404, 10007, "Unknown Member")
}

fn unknown_role() -> Reply {
    Reply::chat_error(404, 10011, "Unknown Role")
}

fn missing_permissions() -> Reply {
    Reply::chat_error(403, 50013, "Missing Permissions")
}

/// `limit` 1 (default) to 1,000, `after` exclusive, ascending ids.
pub(super) fn page(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild| {
        let limit: u16 = input.query("limit").map_or(Ok(1), str::parse).unwrap_or(0);
        if limit == 0 || limit > MEMBERS_PER_PAGE {
            let message = "int value should be between 1 and 1000.";
            return Err(Reply::chat_invalid("limit", "NUMBER_TYPE_MAX", message));
        }
        let after = match input.query("after") {
            None | Some("0") => Bound::Unbounded,
            Some(id) => Bound::Excluded(id.parse::<ChatId>().map_err(|_| not_snowflake("after"))?),
        };
        let members = guild.members.range((after, Bound::Unbounded)).take(limit.into());
        Ok(Reply::ok(members.map(|(id, member)| objects::member(*id, member)).collect()))
    })
}

pub(super) fn one(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild| {
        let id = user_id(input)?;
        let member = guild.members.get(&id).ok_or_else(unknown_member)?;
        Ok(Reply::ok(objects::member(id, member)))
    })
}

pub(super) fn update(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild| {
        let id = user_id(input)?;
        let form: Map<String, Value> = serde_json::from_slice(&input.body)
            .map_err(|_| Reply::chat_error(400, 50109, "The request body contains invalid JSON."))?;
        let mut member = guild.members.get(&id).ok_or_else(unknown_member)?.clone();
        if let Some(nick) = form.get("nick") {
            check_rename(guild, &member)?;
            member.nick = read_nick(nick)?;
        }
        if let Some(roles) = form.get("roles").filter(|roles| !roles.is_null()) {
            let wanted = read_roles(roles)?;
            check_change(guild, &member.roles, &wanted)?;
            member.roles = wanted.into();
        }
        let body = objects::member(id, &member);
        put(guild, id, member);
        Ok(Reply::ok(body))
    })
}

pub(super) fn add_role(simulator: &Simulator, input: &Input) -> Reply {
    change_role(simulator, input, Vec::push)
}

pub(super) fn remove_role(simulator: &Simulator, input: &Input) -> Reply {
    change_role(simulator, input, |roles, role| roles.retain(|held| *held != role))
}

fn change_role(simulator: &Simulator, input: &Input, change: impl FnOnce(&mut Vec<RoleId>, RoleId)) -> Reply {
    change_guild(simulator, input, |guild| {
        let id = user_id(input)?;
        let role: RoleId = input.param("role").parse().map_err(|_| not_snowflake("role_id"))?;
        check_role(guild, role)?;
        let mut member = guild.members.get(&id).ok_or_else(unknown_member)?.clone();
        let mut roles = std::mem::take(&mut member.roles).into_vec();
        change(&mut roles, role);
        roles.sort_unstable();
        roles.dedup();
        member.roles = roles.into();
        put(guild, id, member);
        Ok(Reply::empty())
    })
}

/// The member is like this from now on; whether that is a change goes into the ledger.
fn put(guild: &mut Guild, id: ChatId, mut member: Member) {
    let changed = guild.members.get(&id).is_some_and(|before| !before.looks_like(&member));
    member.updates.count(changed);
    guild.members.insert(id, member);
}

/// Null or empty takes the nickname away.
pub(super) fn read_nick(value: &Value) -> Result<Option<Box<str>>, Reply> {
    match value {
        Value::Null => Ok(None),
        Value::String(nick) if nick.chars().count() > MAX_NICK_CHARS => {
            Err(Reply::chat_invalid("nick", "BASE_TYPE_BAD_LENGTH", "Must be 32 or fewer in length."))
        }
        Value::String(nick) => Ok(Some(nick.as_str()).filter(|nick| !nick.is_empty()).map(Box::from)),
        _ => Err(Reply::chat_invalid("nick", "STRING_TYPE_CONVERT", "Could not interpret value as string.")),
    }
}

fn read_roles(value: &Value) -> Result<Vec<RoleId>, Reply> {
    let list = value.as_array().ok_or_else(|| {
        Reply::chat_invalid("roles", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    })?;
    let role =
        |item: &Value| item.as_str().and_then(|id| id.parse().ok()).ok_or_else(|| not_snowflake("roles"));
    let mut roles = list.iter().map(role).collect::<Result<Vec<RoleId>, _>>()?;
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}

fn check_rename(guild: &Guild, member: &Member) -> Result<(), Reply> {
    if member.bot || guild.highest(&member.roles) < guild.bot_position() {
        return Ok(());
    }
    Err(missing_permissions())
}

/// Only the roles that come or go matter.
fn check_change(guild: &Guild, held: &[RoleId], wanted: &[RoleId]) -> Result<(), Reply> {
    let gone = held.iter().filter(|role| !wanted.contains(role));
    let come = wanted.iter().filter(|role| !held.contains(role));
    gone.chain(come).try_for_each(|role| check_role(guild, *role))
}

fn check_role(guild: &Guild, id: RoleId) -> Result<(), Reply> {
    let role = guild.roles.get(&id).ok_or_else(unknown_role)?;
    // Position 0 is the role everybody has.
    if role.managed || role.position == 0 || role.position >= guild.bot_position() {
        return Err(missing_permissions());
    }
    Ok(())
}
