//! The permissions of staff roles, in words.

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};

use crate::html::form::Form;

/// A checkbox of the form of a role.
pub(super) struct Permission {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) about: &'static str,
    pub(super) held: bool,
}

pub(super) fn in_console(form: &Form) -> Vec<Permission> {
    listed(&CHAT_PERMISSIONS, "permissions", form)
}

/// Those that all games know, then the others of the role.
pub(super) fn in_games(form: &Form) -> Vec<Permission> {
    let mut all = listed(&PLAY_PERMISSIONS, PLAY_FIELD, form);
    let held = form.all(PLAY_FIELD);
    let others: Vec<&str> = held.into_iter().filter(|name| !PLAY_PERMISSIONS.contains(name)).collect();
    all.extend(listed(&others, PLAY_FIELD, form));
    all
}

const PLAY_FIELD: &str = "play_permissions";

fn listed(names: &[&str], field: &str, form: &Form) -> Vec<Permission> {
    let one = |name: &&str| {
        let about = match words(name) {
            ("", _) => "A permission that games of this server know.",
            (_, about) => about,
        };
        Permission {
            name: (*name).to_owned(),
            label: label(name).to_owned(),
            about,
            held: form.is(field, name),
        }
    };
    names.iter().map(one).collect()
}

/// Unknown names stay as they are.
pub(in crate::pages::guilds) fn label(name: &str) -> &str {
    let (label, _) = words(name);
    if label.is_empty() { name } else { label }
}

fn words(name: &str) -> (&'static str, &'static str) {
    match name {
        "lookup.read" => ("Look members up", "See which Discord and Roblox accounts belong together."),
        "links.write" => ("Link members", "Link members to Roblox accounts, move links and end them."),
        "moderation.read" => ("See moderation", "See bans, mutes, warnings and their history."),
        "moderation.write" => ("Moderate", "Ban, mute and warn players, and lift bans and mutes."),
        "staff.read" => ("See all staff", "See the leave, strikes, notes, quotas and activity of all staff."),
        "staff.write" => ("Manage staff", "Enter leave, strikes, notes and quotas, and decide requests."),
        "bindings.read" => ("See bindings", "See which rank in a Roblox group gives which Discord role."),
        "bindings.write" => ("Change bindings", "Add and remove bindings, which give roles to members."),
        "sync.write" => ("Sync roles", "Bring the roles of one member or of all up to date."),
        "roles.write" => ("Give roles", "Give and take roles below their own by hand."),
        "shield.read" => ("See Shield", "See which players other servers have flagged."),
        "shield.write" => ("Flag in Shield", "Flag players for all servers, where this server may do so."),
        "audit.read" => ("See the audit log", "See who changed what, and when."),
        "tickets.write" => ("Handle applications", "Read applications and open tickets for them."),
        "settings.read" => ("See settings", "See the settings of this server."),
        "settings.write" => ("Change settings", "Change the settings of this server."),
        "kick" => ("Kick", "Remove a player from the game server they are on."),
        "ban" => ("Ban", "Keep a player out of the games."),
        "unban" => ("Unban", "Lift a ban."),
        "mute" => ("Mute", "Take a player's voice in chat."),
        "unmute" => ("Unmute", "Lift a mute."),
        "warn" => ("Warn", "Record a warning against a player."),
        _ => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_is_explained() {
        for name in CHAT_PERMISSIONS.iter().chain(&PLAY_PERMISSIONS) {
            let (label, about) = words(name);
            assert!(!label.is_empty() && about.ends_with('.'), "{name}");
        }
    }
}
