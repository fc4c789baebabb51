//! Names for the ids in entries: persons, roles, places and panels, read once for all of them. Without a name the id stays.

use std::collections::{BTreeMap, HashMap};

use chrono::TimeDelta;
use chrono_tz::Tz;
use entities::audit_entry::Model;
use entities::{Conn, Subject, Timestamp, application_panel, guild, period, registered_game, staff_role};
use platforms::{CallContext, Platforms};
use sea_orm::DbErr;
use serde_json::Value;

use super::action_table::{Target, target_of};
use super::style::Style;
use crate::format::Length;
use crate::{labels, values};

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
/// Whole days of the guild; the last one is before the end.
const DAYS: [&str; 2] = ["starts_at", "ends_at"];
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
const STATES: [&str; 11] = [
    "accent",
    "state",
    "status",
    "ended_how",
    "mirror_state",
    "metric",
    "action_type",
    "join_notice",
    "link_ways",
    "link_flagged",
    "link_banned",
];

/// The ids that entries have, each with the field that it is in.
pub struct Ids<'e>(Vec<(&'e str, String)>);

impl<'e> Ids<'e> {
    pub fn of(entries: impl IntoIterator<Item = &'e Model>) -> Self {
        let mut found = Vec::new();
        for entry in entries {
            collect("", &entry.metadata, &mut found);
            match target_of(entry) {
                Target::Person => found.push(("staff_id", entry.target_id.clone())),
                Target::Role => found.push(("role_id", entry.target_id.clone())),
                Target::Other => {}
            }
            found.push(("staff_id", entry.actor_id.to_string()));
        }
        Self(found)
    }

    pub fn persons(&self) -> impl Iterator<Item = Subject> {
        let persons = self.0.iter().filter(|(field, _)| PERSONS.contains(field));
        persons.filter_map(|(_, id)| id.parse().ok())
    }

    fn has(&self, names: &[&str]) -> bool {
        self.0.iter().any(|(field, _)| names.contains(field))
    }
}

/// All texts and numbers with the names of their fields.
fn collect<'a>(field: &'a str, value: &'a Value, found: &mut Vec<(&'a str, String)>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect(name, value, found)),
        Value::Array(items) => items.iter().for_each(|item| collect(field, item, found)),
        Value::String(text) => found.push((field, text.clone())),
        Value::Number(number) => found.push((field, number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

pub struct Names {
    persons: HashMap<Subject, String>,
    roles: BTreeMap<String, String>,
    places: BTreeMap<String, String>,
    panels: BTreeMap<String, String>,
    /// Of the guild's days.
    zone: Tz,
}

impl Names {
    /// The names of the guild's objects, beside those of `persons`.
    pub async fn read(
        conn: &impl Conn,
        platforms: &Platforms,
        call: CallContext,
        ids: &Ids<'_>,
        persons: HashMap<Subject, String>,
    ) -> Result<Self, DbErr> {
        let guild = call.guild;
        let roles = if ids.has(&ROLES) { roles(conn, platforms, call).await? } else { BTreeMap::new() };
        let games =
            if ids.has(&["place_id"]) { registered_game::list(conn, guild).await? } else { Vec::new() };
        let panels =
            if ids.has(&["panel_id"]) { application_panel::list_all(conn, guild).await? } else { Vec::new() };
        let zone = guild::find(conn, guild).await?;
        let zone = zone.map_or(Tz::UTC, |guild| period::zone(&guild.settings()));
        Ok(Self {
            zone,
            persons,
            roles,
            places: games.into_iter().map(|game| (game.place_id.to_string(), game.name)).collect(),
            panels: panels.into_iter().map(|panel| (panel.panel_id.to_string(), panel.name)).collect(),
        })
    }

    pub(super) fn person(&self, subject: Subject, style: Style) -> String {
        (style.person)(subject, self.persons.get(&subject).map(String::as_str))
    }

    /// The name behind an id of this field.
    fn name(&self, field: &str, id: &str, style: Style) -> Option<String> {
        let name = match field {
            "place_id" => self.places.get(id),
            "panel_id" => self.panels.get(id),
            _ if ROLES.contains(&field) => self.roles.get(id),
            _ if PERSONS.contains(&field) => return Some(self.person(id.parse().ok()?, style)),
            _ => None,
        };
        name.map(|name| (style.text)(name))
    }

    /// A value in words; empty: none.
    pub fn value(&self, field: &str, value: &Value, style: Style) -> String {
        match value {
            Value::Null => String::new(),
            // The only one that a sentence has.
            Value::Bool(yes) if field == "banned" && !style.with_id => {
                if *yes { "banned" } else { "not banned" }.to_owned()
            }
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Array(items) => {
                items.iter().map(|item| self.value(field, item, style)).collect::<Vec<_>>().join(", ")
            }
            Value::Object(fields) => {
                let one = |(name, value): (&String, &Value)| {
                    format!("{}: {}", labels::label(name), self.value(name, value, style))
                };
                fields.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Value::Number(number) if field == "duration_seconds" => {
                let length = TimeDelta::try_seconds(number.as_i64().unwrap_or_default());
                length.map_or_else(String::new, |length| Length(length).to_string())
            }
            Value::Number(number) => self.text(field, &number.to_string(), style),
            Value::String(text) => self.text(field, text, style),
        }
    }

    fn text(&self, field: &str, text: &str, style: Style) -> String {
        match self.name(field, text, style) {
            Some(name) if style.with_id && !name.ends_with(text) => return format!("{name} ({text})"),
            Some(name) => return name,
            None if field == "place_id" && !style.with_id => {
                return format!("place {}", (style.text)(text));
            }
            None => {}
        }
        if DAYS.contains(&field)
            && !style.with_id
            && let Ok(at) = text.parse::<Timestamp>()
        {
            let first = at.with_timezone(&self.zone).date_naive();
            let day = if field == "ends_at" { period::last_day(at, self.zone) } else { first };
            return day.format("%-d %b %Y").to_string();
        }
        if let Ok(at) = text.parse::<Timestamp>()
            && !matches!(field, "kind" | "cause" | "permissions" | "play_permissions")
        {
            return (style.time)(at);
        }
        (style.text)(&words(field, text))
    }
}

fn words(field: &str, text: &str) -> String {
    match field {
        "kind" => values::kind(text).to_owned(),
        "cause" => cause(text).to_owned(),
        "moderator" if text == "named_by_key" => "named by a key, not signed in".to_owned(),
        "moderator" if text == "named_by_import" => "named in the file of an import".to_owned(),
        "moderator" if text == "named_by_chat_platform" => "done on Discord".to_owned(),
        "permissions" | "play_permissions" => values::permission(text).to_owned(),
        "news" => values::news(text).to_owned(),
        _ if STATES.contains(&field) => text.replace('_', " "),
        _ => text.to_owned(),
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

/// Names of staff roles, and those of all other roles while the chat platform answers.
async fn roles(
    conn: &impl Conn,
    platforms: &Platforms,
    call: CallContext,
) -> Result<BTreeMap<String, String>, DbErr> {
    let staff = staff_role::list(conn, call.guild).await?;
    let mut names: BTreeMap<_, _> =
        staff.into_iter().map(|role| (role.role_id.to_string(), role.role_name)).collect();
    if let Ok(roles) = platforms.chat.guild_roles(call).await {
        names.extend(roles.into_iter().map(|role| (role.id.to_string(), role.name)));
    }
    Ok(names)
}
