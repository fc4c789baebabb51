//! Words of the API's values, for people.

use entities::binding::Kind;

/// The kinds of jobs that belong to guilds, with their labels.
pub const JOB_KINDS: [(&str, &str); 17] = [
    ("sync_all", "Sync of all members"),
    ("undo_sync", "Undo of a sync"),
    ("sync_member", "Sync of one member"),
    ("greet_member", "Welcome of a new member"),
    ("staff_by_role", "Staff by a role on Discord"),
    ("catch_up", "Look for missed events"),
    ("unlink_member", "Take away what a link gave"),
    ("direct_message", "Message to a person"),
    ("assign_role", "Give a role"),
    ("remove_role", "Take a role"),
    ("mirror_ban", "Bans carried over to Discord"),
    ("follow_ban", "Bans taken over from Discord"),
    ("shield_import", "Shield import"),
    ("create_ticket", "Open a ticket"),
    ("publish_panel", "Post an application panel"),
    ("deliver_webhook", "Event for a webhook"),
    ("post_news", "News for a log channel"),
];

pub fn kind(kind: &str) -> &str {
    JOB_KINDS.iter().find(|(name, _)| *name == kind).map_or(kind, |(_, words)| words)
}

/// For whom bindings of a type are.
pub fn binding_type(kind: Kind) -> &'static str {
    match kind {
        Kind::GroupRank => "Members with one rank in the group",
        Kind::GroupRankRange => "Members with a rank in a range in the group",
        Kind::GroupMember => "All members of the group",
        Kind::GroupRole => "Members with one role in the group",
        Kind::Verified => "All linked members",
        Kind::Unverified => "Members without a link",
    }
}

/// Kinds of news for log channels, and what each is about.
pub const NEWS: [(&str, &str, &str); 6] = [
    ("moderation", "Moderation", "bans, mutes, Shield flags, commands for game servers"),
    ("links", "Links", "who links to which account, and what staff decide"),
    ("sync", "Sync", "bindings, syncs of all members, roles by hand"),
    ("staff", "Staff", "staff, leave, strikes, notes, quotas; settings, keys, webhooks"),
    ("tickets", "Tickets", "applications and tickets"),
    ("failures", "Failures", "jobs that failed, syncs that stopped, what was switched off"),
];

pub fn news(news: &str) -> &str {
    NEWS.iter().find(|(name, ..)| *name == news).map_or(news, |(_, label, _)| label)
}

/// Unknown names stay as they are.
pub fn permission(name: &str) -> &str {
    let (label, _) = words(name);
    if label.is_empty() { name } else { label }
}

/// What a permission of a staff role is for.
pub fn about_permission(name: &str) -> &'static str {
    match words(name) {
        ("", _) => "A permission that games of this server know.",
        (_, about) => about,
    }
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
        "bindings.write" => {
            ("Change bindings", "Add, change and remove bindings, which give roles to members.")
        }
        "sync.write" => ("Sync roles", "Bring the roles of one member or of all up to date."),
        "roles.write" => ("Give roles", "Give and take roles below their own by hand."),
        "shield.read" => ("See Shield", "See which players other servers have flagged."),
        "shield.write" => ("Flag in Shield", "Flag players for all servers, where this server may do so."),
        "audit.read" => ("See the audit log", "See who changed what, and when."),
        "tickets.write" => {
            ("Handle applications", "Read and decide applications, and open tickets for them.")
        }
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
    use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};

    use super::*;

    #[test]
    fn every_permission_is_explained() {
        for name in CHAT_PERMISSIONS.iter().chain(&PLAY_PERMISSIONS) {
            let (label, about) = words(name);
            assert!(!label.is_empty() && about.ends_with('.'), "{name}");
        }
    }
}
