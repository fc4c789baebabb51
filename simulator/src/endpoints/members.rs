//! Members of the chat platform: pages, single ones, and changes under the hierarchy rules.
//!
//! The bot may grant and remove roles below its highest one that no integration manages; roles a member keeps are not
//! checked. It may rename members who rank below it.

use std::ops::Bound;

use entities::{ChatId, RoleId};
use serde_json::Value;

use crate::endpoints::guild::{change_guild, id, read_guild, unknown_user, user_id};
use crate::form::{self, FormErrors};
use crate::objects;
use crate::permissions::{MANAGE_NICKNAMES, MANAGE_ROLES, missing_permissions};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, Member, Users};

const MEMBERS_PER_PAGE: i64 = 1_000;

fn unknown_role() -> Reply {
    Reply::chat_error(404, 10011, "Unknown Role")
}

/// A user without a membership differs from an unknown user.
fn member_of<'a>(guild: &'a Guild, users: &Users, id: ChatId) -> Result<&'a Member, Reply> {
    let missing = || {
        if users.contains(&id) { Reply::chat_error(404, 10007, "Unknown Member") } else { unknown_user() }
    };
    guild.members.get(&id).ok_or_else(missing)
}

/// Needs the privileged intent. `limit` 1 (default) to 1,000, `after` exclusive, ascending ids.
pub(crate) fn page(simulator: &Simulator, input: &Input) -> Reply {
    if !simulator.state().members_intent {
        return Reply::chat_error(403, 50001, "Missing Access");
    }
    read_guild(simulator, input, |_, guild, _| {
        let limit = read_limit(input)?;
        let after = match input.query("after") {
            None | Some("0") => Bound::Unbounded,
            Some(id) => {
                let after = id.parse::<ChatId>();
                Bound::Excluded(after.map_err(|_| form::invalid("after", form::not_snowflake(id)))?)
            }
        };
        let members = guild.members.range((after, Bound::Unbounded)).take(limit);
        Ok(Reply::ok(members.map(|(id, member)| objects::member(*id, member)).collect()))
    })
}

/// Whose user name or nickname begins with `query`, in any case.
pub(crate) fn search(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, _| {
        let limit = read_limit(input)?;
        let text = input.query("query").filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| form::invalid("query", form::required()))?.to_lowercase();
        let begins = |name: &str| name.to_lowercase().starts_with(&text);
        let named = guild.members.iter().filter(|(id, member)| {
            begins(&objects::user_name(**id)) || member.nick.as_deref().is_some_and(begins)
        });
        Ok(Reply::ok(named.take(limit).map(|(id, member)| objects::member(*id, member)).collect()))
    })
}

fn read_limit(input: &Input) -> Result<usize, Reply> {
    let text = input.query("limit").unwrap_or("1");
    let mistake = match text.parse::<i64>() {
        Ok(limit) if limit < 1 => form::too_small(1),
        Ok(limit) if limit > MEMBERS_PER_PAGE => form::too_large(MEMBERS_PER_PAGE),
        Ok(limit) => return Ok(usize::try_from(limit).unwrap_or_default()),
        Err(_) => form::not_a_number(text),
    };
    Err(form::invalid("limit", mistake))
}

pub(crate) fn one(simulator: &Simulator, input: &Input) -> Reply {
    read_guild(simulator, input, |_, guild, users| {
        let id = user_id(input)?;
        Ok(Reply::ok(objects::member(id, member_of(guild, users, id)?)))
    })
}

pub(crate) fn update(simulator: &Simulator, input: &Input) -> Reply {
    change_guild(simulator, input, |guild, users| {
        let id = user_id(input)?;
        let form = form::read(&input.body)?;
        let mut errors = FormErrors::default();
        let nick = form.get("nick").map(form::read_nick).transpose();
        let nick = nick.map_err(|mistake| errors.add("nick", mistake)).unwrap_or_default();
        let roles = form.get("roles").filter(|roles| !roles.is_null());
        let roles = roles.map(|roles| read_roles(roles, &mut errors));
        errors.into_result()?;
        let mut member = member_of(guild, users, id)?.clone();
        if let Some(nick) = nick {
            check_rename(guild, &member)?;
            member.nick = nick;
        }
        if let Some(wanted) = roles {
            guild.bot_may(MANAGE_ROLES)?;
            check_change(guild, &member.roles, &wanted)?;
            member.roles = wanted.into();
        }
        let body = objects::member(id, &member);
        put(guild, id, member);
        Ok(Reply::ok(body))
    })
}

pub(crate) fn add_role(simulator: &Simulator, input: &Input) -> Reply {
    change_role(simulator, input, Vec::push)
}

pub(crate) fn remove_role(simulator: &Simulator, input: &Input) -> Reply {
    change_role(simulator, input, |roles, role| roles.retain(|held| *held != role))
}

fn change_role(simulator: &Simulator, input: &Input, change: impl FnOnce(&mut Vec<RoleId>, RoleId)) -> Reply {
    change_guild(simulator, input, |guild, users| {
        let (user, role) = (user_id(input)?, id(input, "role", "role_id")?);
        guild.bot_may(MANAGE_ROLES)?;
        check_role(guild, role)?;
        let mut member = member_of(guild, users, user)?.clone();
        let mut roles = std::mem::take(&mut member.roles).into_vec();
        change(&mut roles, role);
        roles.sort_unstable();
        roles.dedup();
        member.roles = roles.into();
        put(guild, user, member);
        Ok(Reply::empty())
    })
}

/// Stores the member; the count of updates records whether that is a change.
fn put(guild: &mut Guild, id: ChatId, mut member: Member) {
    let changed = guild.members.get(&id).is_some_and(|before| !before.looks_like(&member));
    member.updates.count(changed);
    guild.members.insert(id, member);
}

fn read_roles(value: &Value, errors: &mut FormErrors) -> Vec<RoleId> {
    let Some(list) = value.as_array() else {
        errors.add("roles", form::not_a_list());
        return Vec::new();
    };
    let mut roles = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        let text = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
        match text.parse::<RoleId>() {
            Ok(role) if roles.contains(&role) => errors.add(&format!("roles.{index}"), form::repeated()),
            Ok(role) => roles.push(role),
            Err(_) => errors.add(&format!("roles.{index}"), form::not_snowflake(&text)),
        }
    }
    roles.sort_unstable();
    roles
}

fn check_rename(guild: &Guild, member: &Member) -> Result<(), Reply> {
    guild.bot_may(MANAGE_NICKNAMES)?;
    if member.bot || guild.highest(&member.roles) < guild.bot_position() {
        return Ok(());
    }
    Err(missing_permissions())
}

/// Only added and removed roles matter.
fn check_change(guild: &Guild, held: &[RoleId], wanted: &[RoleId]) -> Result<(), Reply> {
    let gone = held.iter().filter(|role| !wanted.contains(role));
    let come = wanted.iter().filter(|role| !held.contains(role));
    gone.chain(come).try_for_each(|role| check_role(guild, *role))
}

/// Position 0 is the everyone role: it cannot be granted, and the platform treats it as unknown here.
fn check_role(guild: &Guild, id: RoleId) -> Result<(), Reply> {
    let role = guild.roles.get(&id).filter(|role| role.position > 0).ok_or_else(unknown_role)?;
    if role.managed || role.position >= guild.bot_position() {
        return Err(missing_permissions());
    }
    Ok(())
}
