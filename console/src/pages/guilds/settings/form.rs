//! Settings as fields of a form, and a form as the body of the API.

use entities::guild::Settings;
use entities::staff_action::ActionType;
use serde_json::{Map, Value};

use super::linking::{LINK_ROLES, SPARING, word};
use crate::fields::Fields;
use crate::pages::guilds::staff::labels::action;

pub(in crate::pages::guilds) const FIELDS: &[&str] = &[
    "nickname_template",
    "time_zone",
    "week_start",
    "strike_days",
    "mirror_bans_per_hour",
    "score_weights",
    "allowed_privileged_roles",
    "link_ways",
    "link_min_chat_days",
    "link_min_play_days",
    "link_flagged",
    "link_banned",
    "verified_role",
    "unverified_role",
    "nickname_bypass_roles",
    "role_bypass_roles",
    "sticky_roles",
    "link_message",
    "join_notice",
    "join_channel",
    "accent",
];

/// Powerful roles that Guildhall may give.
const POWERFUL_ROLES: &str = "allowed_privileged_roles";
/// Whether roles make staff.
const STAFF_BY_ROLE: &str = "staff_by_role";
/// Fields that are one box each.
pub(in crate::pages::guilds) const BOXES: [&str; 3] = ["mirror_bans", "follow_bans", STAFF_BY_ROLE];
/// The points of all types of actions.
const WEIGHTS: &str = "score_weights";
/// What only people set who may do everything on Discord.
pub(in crate::pages::guilds) const POWERFUL: [&str; 2] = [POWERFUL_ROLES, STAFF_BY_ROLE];

/// Types of actions with their default points.
pub(super) fn weights() -> impl Iterator<Item = (&'static str, i64)> {
    ActionType::ALL.iter().map(|kind| (kind.name(), kind.default_points()))
}

/// The same with the words for people.
pub(super) fn labelled_weights() -> impl Iterator<Item = (&'static str, &'static str, i64)> {
    ActionType::ALL.iter().map(|kind| (kind.name(), action(*kind), kind.default_points()))
}

const WEIGHT: &str = "weight_";

fn weight_field(kind: &str) -> String {
    format!("{WEIGHT}{kind}")
}

/// Names of all fields of the form.
pub(super) fn names() -> impl Iterator<Item = String> {
    let own = FIELDS.iter().chain(&BOXES).filter(|field| **field != WEIGHTS);
    own.map(|field| (*field).to_owned()).chain(weights().map(|(kind, _)| weight_field(kind)))
}

/// The field of the API behind one of the form.
pub(super) fn api_field(name: &str) -> &str {
    if name.starts_with(WEIGHT) { WEIGHTS } else { name }
}

/// The fields of the form for these settings.
fn pairs(settings: &Settings, powerful: bool) -> Vec<(String, String)> {
    let mut pairs = vec![
        ("nickname_template".to_owned(), settings.nickname_template.clone()),
        ("time_zone".to_owned(), settings.time_zone.clone()),
        ("week_start".to_owned(), settings.week_start.to_string()),
        ("strike_days".to_owned(), settings.strike_days.to_string()),
        ("accent".to_owned(), settings.accent.name().to_owned()),
        ("mirror_bans_per_hour".to_owned(), settings.mirror_bans_per_hour.to_string()),
    ];
    pairs.extend(linking(settings));
    if settings.mirror_bans {
        pairs.push(("mirror_bans".to_owned(), "yes".to_owned()));
    }
    if settings.follow_bans {
        pairs.push(("follow_bans".to_owned(), "yes".to_owned()));
    }
    for (kind, _) in weights() {
        if let Some(points) = settings.score_weights[kind].as_i64() {
            pairs.push((weight_field(kind), points.to_string()));
        }
    }
    if settings.staff_by_role && powerful {
        pairs.push((STAFF_BY_ROLE.to_owned(), "yes".to_owned()));
    }
    let roles = settings.allowed_privileged_roles.0.iter().filter(|_| powerful);
    pairs.extend(roles.map(|role| (POWERFUL_ROLES.to_owned(), role.to_string())));
    let lists = [&settings.nickname_bypass_roles, &settings.role_bypass_roles, &settings.sticky_roles];
    for ((field, ..), roles) in SPARING.iter().zip(lists) {
        pairs.extend(roles.0.iter().map(|role| ((*field).to_owned(), role.to_string())));
    }
    pairs
}

/// The part of the rules for linking.
fn linking(settings: &Settings) -> impl Iterator<Item = (String, String)> {
    let roles = LINK_ROLES.into_iter().zip([settings.verified_role, settings.unverified_role]);
    let roles = roles.filter_map(|(field, role)| Some((field, role?.to_string())));
    let ways = settings.link_ways.0.iter().map(|way| ("link_ways", word(way)));
    let message = settings.link_message.iter().map(|text| ("link_message", text.clone()));
    let rules = [
        ("link_min_chat_days", settings.link_min_chat_days.to_string()),
        ("link_min_play_days", settings.link_min_play_days.to_string()),
        ("link_flagged", word(settings.link_flagged)),
        ("link_banned", word(settings.link_banned)),
        ("join_notice", word(settings.join_notice)),
    ];
    let channel = settings.join_channel.iter().map(|channel| ("join_channel", channel.to_string()));
    let all: Vec<_> = rules.into_iter().chain(ways).chain(roles).chain(message).chain(channel).collect();
    all.into_iter().map(|(field, value)| (field.to_owned(), value))
}

pub(super) fn filled(settings: &Settings, powerful: bool) -> Fields {
    let pairs = pairs(settings, powerful);
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Fields::of(&pairs)
}

/// These fields of the form.
pub(super) fn body_of(form: &Fields, names: &[String], powerful: bool) -> Map<String, Value> {
    let mut body = body(form, powerful);
    body.retain(|field, _| names.iter().any(|name| api_field(name) == field));
    body
}

/// Everything that the form shows, so that an empty field is a change too. `powerful`: it shows what grants power; a form that
/// has some of it anyway sends it, and is refused.
fn body(form: &Fields, powerful: bool) -> Map<String, Value> {
    let number = |text: &str| text.parse::<i64>().map_or_else(|_| text.into(), Value::from);
    let given = weights().map(|(kind, _)| (kind, weight_field(kind))).filter(|(_, field)| form.has(field));
    let weights: Map<String, Value> =
        given.map(|(kind, field)| (kind.to_owned(), number(form.text(&field)))).collect();
    let list = |field| Value::from_iter(form.all(field));
    // What may be null is empty in the form.
    let optional = |field| if form.has(field) { form.text(field).into() } else { Value::Null };
    let mut body = Map::from_iter([
        ("nickname_template".to_owned(), form.text("nickname_template").into()),
        ("time_zone".to_owned(), form.text("time_zone").into()),
        ("week_start".to_owned(), number(form.text("week_start"))),
        ("strike_days".to_owned(), number(form.text("strike_days"))),
        ("accent".to_owned(), form.text("accent").into()),
        ("mirror_bans".to_owned(), form.has("mirror_bans").into()),
        ("follow_bans".to_owned(), form.has("follow_bans").into()),
        ("mirror_bans_per_hour".to_owned(), number(form.text("mirror_bans_per_hour"))),
        (WEIGHTS.to_owned(), weights.into()),
        ("link_ways".to_owned(), list("link_ways")),
        ("link_min_chat_days".to_owned(), number(form.text("link_min_chat_days"))),
        ("link_min_play_days".to_owned(), number(form.text("link_min_play_days"))),
        ("link_flagged".to_owned(), form.text("link_flagged").into()),
        ("link_banned".to_owned(), form.text("link_banned").into()),
        ("join_notice".to_owned(), form.text("join_notice").into()),
        ("join_channel".to_owned(), optional("join_channel")),
    ]);
    body.extend(LINK_ROLES.map(|field| (field.to_owned(), optional(field))));
    body.insert("link_message".to_owned(), optional("link_message"));
    body.extend(SPARING.map(|(field, ..)| (field.to_owned(), list(field))));
    if powerful || form.has(POWERFUL_ROLES) {
        body.insert(POWERFUL_ROLES.to_owned(), list(POWERFUL_ROLES));
    }
    if powerful || form.has(STAFF_BY_ROLE) {
        body.insert(STAFF_BY_ROLE.to_owned(), form.has(STAFF_BY_ROLE).into());
    }
    body
}

#[cfg(test)]
mod tests {
    use entities::RoleList;
    use entities::account::{Verdict, Way, Ways};
    use entities::guild::{Accent, JoinNotice};
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_survive_their_form() {
        let settings = Settings {
            mirror_bans: true,
            follow_bans: true,
            mirror_bans_per_hour: 30,
            nickname_template: "[{play_id}] {play_username}".to_owned(),
            time_zone: "Europe/Berlin".to_owned(),
            week_start: 7,
            strike_days: 90,
            score_weights: json!({ "ban": 0, "kick": 9 }),
            allowed_privileged_roles: RoleList(vec!["5".parse().unwrap(), "6".parse().unwrap()]),
            staff_by_role: true,
            link_ways: Ways(vec![Way::Profile, Way::SignIn]),
            link_min_chat_days: 7,
            link_min_play_days: 30,
            link_flagged: Verdict::Refuse,
            link_banned: Verdict::Admit,
            verified_role: Some("7".parse().unwrap()),
            unverified_role: None,
            nickname_bypass_roles: RoleList(vec!["8".parse().unwrap()]),
            role_bypass_roles: RoleList::default(),
            sticky_roles: RoleList(vec!["9".parse().unwrap(), "10".parse().unwrap()]),
            link_message: Some("Welcome!".to_owned()),
            join_notice: JoinNotice::Channel,
            join_channel: Some("77".parse().unwrap()),
            accent: Accent::Teal,
        };
        let mut all = serde_json::to_value(&settings).unwrap();
        assert_eq!(Value::Object(body(&filled(&settings, true), true)), all);
        for powerful in [POWERFUL_ROLES, STAFF_BY_ROLE] {
            all.as_object_mut().unwrap().remove(powerful);
        }
        assert_eq!(Value::Object(body(&filled(&settings, false), false)), all);
        assert_eq!(body(&Fields::of(&[(POWERFUL_ROLES, "5")]), false)[POWERFUL_ROLES], json!(["5"]));
    }

    #[test]
    fn what_is_no_number_is_left_for_the_api_to_refuse() {
        let body = body(&Fields::of(&[("strike_days", "ninety"), ("weight_ban", "x")]), true);
        assert_eq!(
            (&body["strike_days"], &body["score_weights"]),
            (&json!("ninety"), &json!({ "ban": "x" }))
        );
        assert_eq!(body["mirror_bans"], false);
    }
}
