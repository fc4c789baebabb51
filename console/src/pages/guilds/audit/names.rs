//! Names for the ids in entries: persons, roles, places and panels, read once for all entries of a page. Without a name
//! the id stays.

use std::collections::BTreeMap;

use entities::audit_entry::Model;
use entities::{Subject, Timestamp, application_panel, registered_game, staff_role};
use people::labels;
use serde_json::Value;

use super::action_table::{self, Target};
use super::changes::Shown;
use crate::html::format::{Length, exact};
use crate::pages::guilds::jobs::names::kind_words;
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::staff::permissions;
use crate::response::PageError;
use crate::visit::GuildVisit;

const PERSONS: [&str; 9] = [
    "staff_id",
    "chat_id",
    "play_id",
    "user_id",
    "issued_by",
    "author_id",
    "decided_by",
    "flagged_by",
    "lifted_by",
];
const ROLES: [&str; 11] = [
    "added_roles",
    "removed_roles",
    "role_id",
    "roles",
    "staff_role_ids",
    "allowed_privileged_roles",
    "verified_role",
    "unverified_role",
    "nickname_bypass_roles",
    "role_bypass_roles",
    "sticky_roles",
];
/// Fields with words of the service, such as `not_banned`.
const STATES: [&str; 9] = [
    "state",
    "status",
    "ended_how",
    "mirror_state",
    "metric",
    "action_type",
    "link_ways",
    "link_flagged",
    "link_banned",
];

pub(super) struct Names {
    people: People,
    roles: BTreeMap<String, String>,
    places: BTreeMap<String, String>,
    panels: BTreeMap<String, String>,
}

impl Names {
    pub(super) async fn read(visit: &GuildVisit, entries: &[Model]) -> Result<Self, PageError> {
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let mut found = Vec::new();
        for entry in entries {
            ids("", &entry.metadata, &mut found);
            match target_of(entry) {
                Target::Person => found.push(("staff_id", entry.target_id.clone())),
                Target::Role => found.push(("role_id", entry.target_id.clone())),
                Target::Other => {}
            }
            found.push(("staff_id", entry.actor_id.to_string()));
        }
        let has = |names: &[&str]| found.iter().any(|(field, _)| names.contains(field));
        let persons = found.iter().filter(|(field, _)| PERSONS.contains(field));
        let people = People::read(visit, persons.filter_map(|(_, id)| id.parse::<Subject>().ok())).await?;
        let roles = if has(&ROLES) { roles(visit).await? } else { BTreeMap::new() };
        let games = if has(&["place_id"]) { registered_game::list(conn, guild).await? } else { Vec::new() };
        let panels =
            if has(&["panel_id"]) { application_panel::list(conn, guild).await? } else { Vec::new() };
        Ok(Self {
            people,
            roles,
            places: games.into_iter().map(|game| (game.place_id.to_string(), game.name)).collect(),
            panels: panels.into_iter().map(|panel| (panel.panel_id.to_string(), panel.name)).collect(),
        })
    }

    pub(super) fn who(&self, visit: &GuildVisit, id: &str) -> Option<Who> {
        id.parse().ok().map(|subject| self.people.who(visit, subject))
    }

    /// The name behind an id of this field.
    fn name(&self, visit: &GuildVisit, field: &str, id: &str) -> Option<String> {
        match field {
            "place_id" => self.places.get(id).cloned(),
            "panel_id" => self.panels.get(id).cloned(),
            _ if ROLES.contains(&field) => self.roles.get(id).cloned(),
            _ if PERSONS.contains(&field) => self.who(visit, id).map(|who| who.name),
            _ => None,
        }
    }

    /// A value of a field, with its id beside the name.
    pub(super) fn shown(&self, visit: &GuildVisit, field: &str, value: &Value) -> Shown {
        match value.as_str().and_then(|text| text.parse().ok()) {
            Some(at) => Shown::Time(visit.when(at)),
            None => self.value(visit, field, value, true).into(),
        }
    }

    /// A value in words, with its id beside the name if `with_id`; empty: none.
    pub(super) fn value(&self, visit: &GuildVisit, field: &str, value: &Value, with_id: bool) -> String {
        let inner = |field: &str, value: &Value| self.value(visit, field, value, with_id);
        match value {
            Value::Null => String::new(),
            // The only one that a sentence has.
            Value::Bool(yes) if field == "banned" && !with_id => {
                if *yes { "banned" } else { "not banned" }.to_owned()
            }
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Array(items) => items.iter().map(|item| inner(field, item)).collect::<Vec<_>>().join(", "),
            Value::Object(fields) => {
                let one = |(name, value): (&String, &Value)| {
                    format!("{}: {}", labels::label(name), inner(name, value))
                };
                fields.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Value::Number(number) if field == "duration_seconds" => {
                let length = chrono::TimeDelta::try_seconds(number.as_i64().unwrap_or_default());
                length.map_or_else(String::new, |length| Length(length).to_string())
            }
            Value::Number(number) => self.text(visit, field, &number.to_string(), with_id),
            Value::String(text) => self.text(visit, field, text, with_id),
        }
    }

    fn text(&self, visit: &GuildVisit, field: &str, text: &str, with_id: bool) -> String {
        match self.name(visit, field, text) {
            Some(name) if with_id && !name.ends_with(text) => return format!("{name} ({text})"),
            Some(name) => return name,
            None if field == "place_id" && !with_id => return format!("place {text}"),
            None => {}
        }
        match (field, text.parse::<Timestamp>()) {
            ("kind", _) => kind_words(text).to_owned(),
            ("cause", _) => cause(text).to_owned(),
            ("moderator", _) if text == "named_by_key" => "named by a key, not signed in".to_owned(),
            ("permissions" | "play_permissions", _) => permissions::label(text).to_owned(),
            (_, Ok(at)) if with_id => exact(at),
            (_, Ok(at)) => at.format("%-d %b %Y").to_string(),
            _ if STATES.contains(&field) => text.replace('_', " "),
            _ => text.to_owned(),
        }
    }
}

/// Why a member was synced.
fn cause(word: &str) -> &str {
    match word {
        "follow" => "automatic sync",
        "sync_all" => "sync of all members",
        other => other,
    }
}

pub(super) fn target_of(entry: &Model) -> Target {
    action_table::of(&entry.action).map_or(Target::Other, |action| action.target)
}

/// All texts and numbers with the names of their fields.
fn ids<'a>(field: &'a str, value: &'a Value, found: &mut Vec<(&'a str, String)>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| ids(name, value, found)),
        Value::Array(items) => items.iter().for_each(|item| ids(field, item, found)),
        Value::String(text) => found.push((field, text.clone())),
        Value::Number(number) => found.push((field, number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Names of staff roles, and those of all other roles while Discord answers.
async fn roles(visit: &GuildVisit) -> Result<BTreeMap<String, String>, PageError> {
    let staff = staff_role::list(visit.read(), visit.guild.guild_id).await?;
    let mut names: BTreeMap<_, _> =
        staff.into_iter().map(|role| (role.role_id.to_string(), role.role_name)).collect();
    if let Ok(roles) = visit.platforms().chat.guild_roles(visit.call_context()).await {
        names.extend(roles.into_iter().map(|role| (role.id.to_string(), role.name)));
    }
    Ok(names)
}
