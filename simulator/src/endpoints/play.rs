//! The game platform's side: groups with their memberships and roles, names and profiles of users.

use chrono::SecondsFormat;
use entities::{GroupId, PlayId, UniverseId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Group, SimulatorState};

const MEMBERSHIP_USERS_PER_CALL: usize = 50;
const MEMBERSHIPS_DEFAULT: usize = 10;
const MEMBERSHIPS_MAX: usize = 100;
const ROLES_DEFAULT: usize = 10;
const ROLES_MAX: usize = 20;
const NAMES_MAX: usize = 200;
const UNIVERSES_MAX: usize = 50;
const TIME: &str = "2026-01-01T00:00:00Z";

/// Of all groups (`-`) or one. `filter` is `user == 'users/1'` or `user in ['users/1', ...]` with at most 50 users; one
/// group's memberships can also be filtered by `role == 'groups/5/roles/1'`, or not at all.
pub(crate) fn memberships(simulator: &Simulator, input: &Input) -> Reply {
    let (group, filter) = match read_question(input) {
        Ok(question) => question,
        Err(mistake) => return invalid(mistake),
    };
    let state = simulator.state();
    if group.is_some_and(|group| !state.groups.contains_key(&group)) {
        return missing();
    }
    let groups: Vec<(&GroupId, &Group)> =
        state.groups.iter().filter(|(id, _)| group.is_none_or(|group| group == **id)).collect();
    let found = match filter {
        Some(Filter::Users(users)) => users.iter().flat_map(|user| memberships_of(&groups, *user)).collect(),
        rest => groups.iter().flat_map(|(id, group)| all_of(**id, group, rest.as_ref())).collect(),
    };
    drop(state);
    page(input, "groupMemberships", found, MEMBERSHIPS_DEFAULT, MEMBERSHIPS_MAX)
}

fn read_question(input: &Input) -> Result<(Option<GroupId>, Option<Filter>), &'static str> {
    let group = match input.param("group") {
        "" => None,
        id => Some(id.parse::<GroupId>().map_err(|_| "The group id is not valid.")?),
    };
    let unreadable = "The filter is not valid: use user == 'users/1' or user in ['users/1'].";
    let filter = input.query("filter").filter(|filter| !filter.is_empty());
    let filter = filter.map(|filter| Filter::parse(filter).ok_or(unreadable)).transpose()?;
    match &filter {
        Some(Filter::Users(users)) if users.len() > MEMBERSHIP_USERS_PER_CALL => {
            Err("The filter names more than 50 users.")
        }
        Some(Filter::Role(_)) | None if group.is_none() => {
            Err("The filter must name users where no group is named.")
        }
        _ => Ok((group, filter)),
    }
}

fn memberships_of(groups: &[(&GroupId, &Group)], user: PlayId) -> Vec<Value> {
    groups.iter().filter_map(|(id, group)| membership(**id, group, user)).collect()
}

fn all_of(id: GroupId, group: &Group, filter: Option<&Filter>) -> Vec<Value> {
    let rank = |role: i64| group.roles.iter().find(|known| known.id == role).map(|known| known.rank);
    let counts = |ranks: &[i16]| match filter {
        Some(Filter::Role(role)) => rank(*role).is_some_and(|rank| ranks.contains(&rank)),
        _ => true,
    };
    let members = group.members.iter().filter(|(_, ranks)| counts(ranks));
    members.filter_map(|(user, _)| membership(id, group, *user)).collect()
}

fn missing() -> Reply {
    Reply::play_error(404, "NOT_FOUND", "The group was not found.")
}

/// The request's group, or the error.
fn named<'s>(state: &'s SimulatorState, input: &Input) -> Result<(GroupId, &'s Group), Reply> {
    let id = input.param("group").parse().map_err(|_| invalid("The group id is not valid."))?;
    Ok((id, state.groups.get(&id).ok_or_else(missing)?))
}

pub(crate) fn group(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    let (id, group) = match named(&state, input) {
        Ok(found) => found,
        Err(refusal) => return refusal,
    };
    Reply::ok(json!({
        "path": format!("groups/{id}"), "id": id.to_string(), "displayName": group.name, "description": "",
        "memberCount": group.members.len(), "publicEntryAllowed": true, "locked": false, "verified": false,
        "createTime": TIME, "updateTime": TIME,
    }))
}

pub(crate) fn group_roles(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    let (id, group) = match named(&state, input) {
        Ok(found) => found,
        Err(refusal) => return refusal,
    };
    let roles = group.roles.iter().map(|role| {
        json!({
            "path": format!("groups/{id}/roles/{}", role.id), "id": role.id.to_string(), "displayName": role.name,
            "rank": role.rank, "createTime": TIME, "updateTime": TIME,
        })
    });
    page(input, "groupRoles", roles.collect(), ROLES_DEFAULT, ROLES_MAX)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamesForm {
    user_ids: Vec<PlayId>,
}

/// Unknown users are omitted, as by the real host.
pub(crate) fn users(simulator: &Simulator, input: &Input) -> Reply {
    let form: NamesForm = match serde_json::from_slice(&input.body) {
        Ok(form) => form,
        Err(_) => return users_error(400, 0, "The request body is not valid."),
    };
    if form.user_ids.len() > NAMES_MAX {
        return users_error(400, 2, "Too many ids.");
    }
    let state = simulator.state();
    let data: Vec<Value> = form
        .user_ids
        .iter()
        .filter_map(|id| Some((id, state.names.get(id)?)))
        .map(|(id, name)| {
            let display_name = state.display_names.get(id).unwrap_or(name);
            json!({ "id": id, "name": name, "displayName": display_name, "hasVerifiedBadge": false })
        })
        .collect();
    Reply::ok(json!({ "data": data }))
}

/// `GET /v1/users/:user`: the public profile.
pub(crate) fn profile(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    let found = input.param("user").parse().ok().and_then(|id: PlayId| Some((id, state.player(id)?)));
    let Some((id, (name, profile))) = found else {
        return users_error(404, 3, "The user id is invalid.");
    };
    let display_name = state.display_names.get(&id).map_or(name, |name| name);
    Reply::ok(json!({
        "id": id, "name": name, "displayName": display_name, "description": profile.description,
        "created": profile.created.to_rfc3339_opts(SecondsFormat::Millis, true), "isBanned": false,
        "externalAppDisplayName": null, "hasVerifiedBadge": false,
    }))
}

/// Unknown universes are omitted.
pub(crate) fn universes(simulator: &Simulator, input: &Input) -> Reply {
    let ids =
        input.query("universeIds").unwrap_or_default().split(',').map(|id| id.trim().parse::<UniverseId>());
    let Ok(ids) = ids.collect::<Result<Vec<_>, _>>() else {
        return users_error(400, 8, "The universe IDs specified are invalid.");
    };
    if ids.len() > UNIVERSES_MAX {
        return users_error(400, 9, "Too many universe IDs were requested.");
    }
    let state = simulator.state();
    let known = ids.iter().filter_map(|id| Some((id, state.universes.get(id)?)));
    let data = known.map(|(id, universe)| {
        json!({ "id": id, "rootPlaceId": universe.root_place, "name": universe.name, "description": null,
                "playing": 0, "visits": 0, "maxPlayers": 50, "created": TIME, "updated": TIME })
    });
    Reply::ok(json!({ "data": data.collect::<Vec<Value>>() }))
}

pub(crate) fn users_error(status: u16, code: i64, message: &str) -> Reply {
    Reply::json(status, json!({ "errors": [{ "code": code, "message": message }] }))
}

fn invalid(message: &str) -> Reply {
    Reply::play_error(400, "INVALID_ARGUMENT", message)
}

enum Filter {
    Users(Vec<PlayId>),
    Role(i64),
}

impl Filter {
    fn parse(filter: &str) -> Option<Self> {
        let filter = filter.trim();
        let user = |name: &str| name.trim().strip_prefix("'users/")?.strip_suffix('\'')?.parse().ok();
        if let Some(one) = filter.strip_prefix("user ==") {
            return Some(Self::Users(vec![user(one)?]));
        }
        if let Some(role) = filter.strip_prefix("role ==") {
            let path = role.trim().strip_prefix("'groups/")?.strip_suffix('\'')?;
            return Some(Self::Role(path.split_once("/roles/")?.1.parse().ok()?));
        }
        let list = filter.strip_prefix("user in")?.trim().strip_prefix('[')?.strip_suffix(']')?;
        list.split(',').map(user).collect::<Option<_>>().map(Self::Users)
    }
}

/// `role` is the highest role; a member with several roles has them all in `roles`.
fn membership(id: GroupId, group: &Group, user: PlayId) -> Option<Value> {
    let ranks = group.members.get(&user)?;
    let role = |rank: &i16| group.roles.iter().find(|role| role.rank == *rank);
    let roles: Vec<String> =
        ranks.iter().filter_map(role).map(|role| format!("groups/{id}/roles/{}", role.id)).collect();
    Some(json!({
        "path": format!("groups/{id}/memberships/{user}"), "user": format!("users/{user}"), "role": roles.first(),
        "roles": roles, "createTime": TIME, "updateTime": TIME,
    }))
}

/// The token is the offset; for the client it is opaque.
fn page(input: &Input, name: &str, all: Vec<Value>, default: usize, most: usize) -> Reply {
    let size = input.query("maxPageSize").map_or(Ok(default), str::parse).unwrap_or(0);
    let offset =
        input.query("pageToken").filter(|token| !token.is_empty()).map_or(Ok(0), str::parse::<usize>);
    let (1.., Ok(offset)) = (size, offset) else { return invalid("maxPageSize or pageToken is not valid.") };
    let end = offset.saturating_add(size.min(most));
    let token = if end < all.len() { end.to_string() } else { String::new() };
    let items: Vec<Value> = all.into_iter().skip(offset).take(size.min(most)).collect();
    Reply::ok(json!({ name: items, "nextPageToken": token }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_the_platform_writes_them() {
        let users = |filter| match Filter::parse(filter)? {
            Filter::Users(users) => Some(users.into_iter().map(PlayId::get).collect::<Vec<_>>()),
            Filter::Role(_) => None,
        };
        assert_eq!(users("user == 'users/156'"), Some(vec![156]));
        assert_eq!(users("user in ['users/1', 'users/2']"), Some(vec![1, 2]));
        for bad in ["", "user in []", "user in ['users/x']", "role == 'x'", "user in 'users/1'"] {
            assert_eq!(users(bad), None, "{bad}");
        }
        assert!(matches!(Filter::parse("role == 'groups/5/roles/7'"), Some(Filter::Role(7))));
    }
}
