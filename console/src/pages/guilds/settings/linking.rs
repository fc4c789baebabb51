//! What the section "Linking" of the settings offers.

use entities::account::{Verdict, Way};
use entities::guild::JoinNotice;
use platforms::{GuildOverview, TextChannel};
use serde::Serialize;
use serde_json::Value;

use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::pages::guilds::bindings::rows::{RoleOption, options};
use crate::visit::GuildVisit;

/// Roles of linked and of unlinked members.
pub(super) const LINK_ROLES: [&str; 2] = ["verified_role", "unverified_role"];

/// The word by which the API knows a value.
pub(super) fn word(of: impl Serialize) -> String {
    match serde_json::to_value(of) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

pub(super) fn ways() -> Vec<Choice> {
    let label = |way| match way {
        Way::Code => "A code typed in a game",
        Way::Profile => "Words in the Roblox profile",
        Way::Connection => "A Roblox account verified by Discord",
        Way::SignIn => "Signing in with Roblox",
    };
    Way::ALL.into_iter().map(|way| Choice::new(word(way), label(way))).collect()
}

pub(super) fn verdicts() -> Vec<Choice> {
    let all = [(Verdict::Admit, "Let them in"), (Verdict::Hold, "Staff decide"), (Verdict::Refuse, "Refuse")];
    all.into_iter().map(|(verdict, label)| Choice::new(word(verdict), label)).collect()
}

pub(super) fn notices() -> Vec<Choice> {
    let all = [
        (JoinNotice::None, "Nothing"),
        (JoinNotice::DirectMessage, "A direct message of the bot"),
        (JoinNotice::Channel, "A message in the channel below"),
    ];
    all.into_iter().map(|(notice, label)| Choice::new(word(notice), label)).collect()
}

/// None, the text channels of the server, and the one that the form has anyway.
pub(super) fn channels(known: &[TextChannel], form: &Form) -> Vec<Choice> {
    let mut choices = vec![Choice::new(String::new(), "None")];
    choices.extend(known.iter().map(Choice::of_channel));
    let id = form.text("join_channel");
    Choice::keep(&mut choices, id, id);
    choices
}

/// None, the roles of the server, and those that the form has anyway.
pub(super) fn roles(visit: &GuildVisit, overview: Option<&GuildOverview>, form: &Form) -> Vec<Choice> {
    let known = overview.map(|overview| options(visit, overview)).unwrap_or_default();
    let mut choices = vec![Choice::new(String::new(), "None")];
    choices.extend(known.into_iter().map(RoleOption::choice));
    for id in LINK_ROLES.map(|field| form.text(field)) {
        Choice::keep(&mut choices, id, id);
    }
    choices
}

/// The lists of roles by which syncs spare members, with their legends.
pub(super) const SPARING: [(&str, &str, &str); 3] = [
    ("nickname_bypass_roles", "Whoever has one of these keeps their nickname", "No sync renames them."),
    (
        "role_bypass_roles",
        "Whoever has one of these keeps their roles",
        "No sync gives or takes a role of theirs.",
    ),
    (
        "sticky_roles",
        "Roles that no sync takes",
        "Syncs give them; they are taken by hand, and when a link ends.",
    ),
];

/// All roles of the server, and those that the form has anyway.
pub(super) fn sparing(visit: &GuildVisit, overview: Option<&GuildOverview>, form: &Form) -> Vec<Choice> {
    let known = overview.map(|overview| options(visit, overview)).unwrap_or_default();
    let known = known.into_iter().map(|role| Choice::new(role.id.to_string(), &role.name));
    let mut choices: Vec<Choice> = known.collect();
    for id in SPARING.iter().flat_map(|(field, ..)| form.all(field)) {
        Choice::keep(&mut choices, id, id);
    }
    choices
}
