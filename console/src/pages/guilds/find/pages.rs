//! Pages by their names, and settings by their labels.

use people::{Needs, labels};

use super::found::{Found, Group, matches};
use crate::html::shell::entries_of;
use crate::pages::guilds::settings;
use crate::visit::GuildVisit;

/// Pages below those of the navigation: name, what else people call them, page.
const BELOW: [(&str, &str, &str, Needs); 21] = [
    ("Bans", "banned", "/moderation/bans", Needs::Permission("moderation.read")),
    ("Mutes", "muted", "/moderation/mutes", Needs::Permission("moderation.read")),
    ("Add ban", "ban a person", "/moderation/bans/new", Needs::Permission("moderation.write")),
    ("Add mute", "mute a person", "/moderation/mutes/new", Needs::Permission("moderation.write")),
    ("Link a member", "add link", "/members/link", Needs::Permission("links.write")),
    ("Links to decide", "held attempts", "/members/attempts", Needs::Permission("links.write")),
    ("Import links", "export of another bot", "/members/import", Needs::Permission("links.write")),
    ("Import bans", "export of another bot", "/imports/bans", Needs::Permission("moderation.write")),
    ("Imports of links", "undo an import", "/imports/made/links", Needs::Permission("links.write")),
    ("Imports of bans", "undo an import", "/imports/made/bans", Needs::Permission("moderation.write")),
    ("Leave", "absence, loa", "/staff/leave", Needs::Staff),
    ("Requests for leave", "absence, loa", "/staff/leave/requests", Needs::Staff),
    ("Strikes", "warnings of staff", "/staff/strikes", Needs::Staff),
    ("Notes", "about staff", "/staff/notes", Needs::Permission("staff.read")),
    ("Quotas", "targets of staff", "/staff/quotas", Needs::Staff),
    ("Leaderboard", "points, score", "/staff/leaderboard", Needs::Staff),
    ("Activity", "what staff did", "/staff/activity", Needs::Permission("staff.read")),
    ("Actions to approve", "pending", "/staff/pending", Needs::Permission("staff.read")),
    ("Add staff role", "permissions, rights", "/staff/roles/new", Needs::Admin),
    ("Set up", "first run, begin", "/first-run", Needs::Admin),
    ("Your sessions", "sign out, devices", "/console/sessions", Needs::Staff),
];

pub(super) fn pages(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) {
    let mut add = |name: &str, words: &str, url: String| {
        let (part, whole) = matches(name, typed);
        if part || matches(words, typed).0 {
            found.push(Found::new(Group::Pages, name, url, whole));
        }
    };
    for entry in entries_of(visit, None) {
        add(entry.label, "", entry.url);
    }
    for (name, words, page, _) in BELOW.iter().filter(|(.., needs)| visit.rights.may(*needs)) {
        let url = if page.starts_with("/console") { (*page).to_owned() } else { visit.url(page) };
        add(name, words, url);
    }
}

/// They lead to the field.
pub(super) fn settings(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) {
    if !visit.may("settings.read") {
        return;
    }
    for field in settings::FIELDS.iter().chain(&settings::BOXES) {
        if settings::POWERFUL.contains(field) && !visit.rights.administrates {
            continue;
        }
        let label = labels::label(field);
        let (part, whole) = matches(&label, typed);
        if part {
            found.push(Found::new(Group::Settings, &label, visit.url(&format!("/settings#{field}")), whole));
        }
    }
}
