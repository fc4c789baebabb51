//! The texts for each action of the audit log. A test compares it with the list of all actions
//! that the service writes.

use entities::audit_entry::Model;

/// The type of an entry's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An id of either account.
    Person,
    /// A Discord role.
    Role,
    /// A number of its own, or the server itself.
    Other,
}

/// An action, as the audit log shows it.
pub struct Action {
    pub code: &'static str,
    /// As a choice of the filter.
    pub title: &'static str,
    pub target: Target,
    /// What follows the actor's name. `{target}` and fields of the entry are filled in; a part in brackets is left out
    /// where one of its fields is absent.
    pub done: &'static str,
}

const fn to(code: &'static str, title: &'static str, target: Target, done: &'static str) -> Action {
    Action { code, title, target, done }
}

/// The actions by area, in the order of the navigation.
pub const AREAS: [(&str, &[Action]); 10] = [
    ("Moderation", &MODERATION),
    ("Members", &MEMBERS),
    ("Bindings", &BINDINGS),
    ("Shield", &SHIELD),
    ("Staff", &STAFF),
    ("Leave, strikes and notes", &RECORDS),
    ("Game servers", &SERVERS),
    ("Applications", &APPLICATIONS),
    ("Jobs", &JOBS),
    ("Keys and settings", &SETTINGS),
];

use Target::{Other, Person, Role};

const MODERATION: [Action; 9] = [
    to(
        "moderation.ban",
        "Ban",
        Person,
        "banned {target}[ in {place_id}][ until {expires_at}][ ({moderator})]",
    ),
    to(
        "moderation.unban",
        "Ban lifted",
        Person,
        "lifted the ban of {target}[ in {place_id}][ ({moderator})]",
    ),
    to(
        "moderation.ban_expired",
        "Ban expired",
        Person,
        "ended the ban of {target}[ in {place_id}]: its time was over",
    ),
    to(
        "moderation.mute",
        "Mute",
        Person,
        "muted {target}[ in {place_id}][ until {expires_at}][ ({moderator})]",
    ),
    to(
        "moderation.unmute",
        "Mute lifted",
        Person,
        "lifted the mute of {target}[ in {place_id}][ ({moderator})]",
    ),
    to(
        "moderation.mute_expired",
        "Mute expired",
        Person,
        "ended the mute of {target}[ in {place_id}]: its time was over",
    ),
    to(
        "moderation.mirror",
        "Ban carried over to Discord",
        Person,
        "carried over to Discord: {target} is {banned} there",
    ),
    to(
        "moderation.mirror_allowed",
        "Ban allowed on Discord",
        Person,
        "let the ban of {target} go to Discord",
    ),
    to(
        "moderation.mirror_failed",
        "Ban not carried over to Discord",
        Person,
        "could not carry the ban of {target} over to Discord[: {message}]",
    ),
];

const MEMBERS: [Action; 23] = [
    to("accounts.erase", "Account erased", Person, "erased an account from {entries} entries of this log"),
    to("sync.all_requested", "Sync of all members started", Other, "started a sync of all members"),
    to("sync.follow_updated", "Automatic syncs changed", Other, "changed how automatic syncs run"),
    to("sync.follow_stopped", "Automatic sync stopped", Other, "stopped the automatic syncs[: {reason}]"),
    to("sync.undone", "Sync undone", Other, "undid a sync of all members"),
    to("sync.follow_continued", "Automatic syncs go on", Other, "let the automatic syncs go on"),
    to("sync.requested", "Sync of a member started", Person, "started a sync of {target}"),
    to(
        "sync.member",
        "Member synced",
        Person,
        "synced {target}[: gave {added_roles}][, took {removed_roles}][, nickname {nickname}][ ({cause})]",
    ),
    to("roles.assign_requested", "Role to be given", Person, "asked to give {target} the role {role_id}"),
    to("roles.assign", "Role given", Person, "gave {target} the role {role_id}"),
    to(
        "roles.remove_requested",
        "Role to be taken",
        Person,
        "asked to take the role {role_id} from {target}",
    ),
    to("roles.remove", "Role taken", Person, "took the role {role_id} from {target}"),
    to("link_attempts.begin", "Linking begun", Person, "began to link {target}"),
    to("link_attempts.cancel", "Linking cancelled", Person, "cancelled the linking of {target}"),
    to("link_attempts.hold", "Link held", Person, "asked to link {target}, which staff decide: {reason}"),
    to("link_attempts.refuse", "Link refused", Person, "was not linked by the rules, as {target}: {reason}"),
    to("link_attempts.approve", "Link approved", Person, "let {target} link"),
    to("link_attempts.reject", "Link rejected", Person, "rejected the link of {target}"),
    to("links.add", "Link made", Person, "linked {target}[ to {play_username} on Roblox]"),
    to("links.import", "Links imported", Other, "imported links: [{new} new][, {changed} changed]"),
    to("links.replace", "Link changed", Person, "linked {target} to another Roblox account"),
    to(
        "links.swap",
        "Links swapped",
        Person,
        "gave {target} the Roblox account of another member, and the reverse",
    ),
    to("links.remove", "Link removed", Person, "removed the link of {target}[ to {play_username} on Roblox]"),
];

const BINDINGS: [Action; 3] = [
    to(
        "bindings.add",
        "Binding added",
        Other,
        "added the binding[ of rank {rank}][ of ranks {min_rank} to {max_rank}][ of group role {group_role_id}][ in group {group_id}] to the role {role_id}",
    ),
    to(
        "bindings.update",
        "Binding changed",
        Other,
        "changed binding {target}[ to rank {rank}][ to the role {role_id}]",
    ),
    to(
        "bindings.remove",
        "Binding removed",
        Other,
        "removed the binding[ of rank {rank}][ of ranks {min_rank} to {max_rank}][ of group role {group_role_id}][ in group {group_id}] to the role {role_id}",
    ),
];

const SHIELD: [Action; 6] = [
    to("shield.flag", "Player flagged", Person, "flagged {target}[: {reason}]"),
    to("shield.lift", "Flag lifted", Person, "lifted the flag of {target}"),
    to(
        "shield.import_requested",
        "Import of flags started",
        Other,
        "started an import of flags[ of {users} players]",
    ),
    to("shield.import", "Flags imported", Other, "imported flags of {imported} players"),
    to("shield.allow", "Flagging allowed", Other, "allowed this server to flag players"),
    to("shield.disallow", "Flagging no longer allowed", Other, "no longer lets this server flag players"),
];

const STAFF: [Action; 13] = [
    to("staff_members.put", "Staff member added or changed", Person, "put {target} on staff[ as {role_id}]"),
    to("staff_members.delete", "Staff member removed", Person, "removed {target} from staff"),
    to("staff_roles.put", "Staff role added or changed", Role, "set what the staff role {target} may do"),
    to("staff_roles.delete", "Staff role removed", Role, "removed the staff role {target}"),
    to("actions.add", "Action of staff recorded", Other, "recorded an action[: {action_type}]"),
    to("sessions.start", "Session on duty started", Other, "went on duty[ in {place_id}]"),
    to("sessions.end", "Session on duty ended", Other, "went off duty[ after {duration_seconds}]"),
    to(
        "sessions.expire",
        "Session on duty expired",
        Other,
        "took {staff_id} off duty: the game server was silent",
    ),
    to("quotas.create", "Quota added", Other, "added the quota {name}"),
    to("quotas.update", "Quota changed", Other, "changed quota {target}"),
    to("quotas.delete", "Quota removed", Other, "removed the quota {name}"),
    to("quotas.approve", "Action approved", Other, "approved an action[ of {staff_id}]"),
    to("quotas.reject", "Action rejected", Other, "rejected an action[ of {staff_id}]"),
];

const RECORDS: [Action; 17] = [
    to("loa.request", "Leave asked for", Other, "asked for leave[ from {starts_at}][ until {ends_at}]"),
    to("loa.request_update", "Request for leave changed", Other, "changed the request for leave {target}"),
    to("loa.approve", "Leave approved", Other, "approved the leave[ of {staff_id}]"),
    to("loa.reject", "Leave rejected", Other, "rejected the leave[ of {staff_id}]"),
    to("loa.withdraw", "Leave withdrawn", Other, "withdrew the request for leave[ of {staff_id}]"),
    to("loa.create", "Leave entered", Other, "entered leave[ of {staff_id}][ until {ends_at}]"),
    to("loa.update", "Leave changed", Other, "changed leave {target}"),
    to("loa.delete", "Leave deleted", Other, "deleted leave[ of {staff_id}]"),
    to("loa.expire", "Leave over", Other, "ended the leave[ of {staff_id}]: its last day was over"),
    to("strikes.create", "Strike given", Other, "gave {staff_id} a strike[ of severity {severity}]"),
    to("strikes.update", "Strike changed", Other, "changed strike {target}"),
    to("strikes.remove", "Strike removed", Other, "removed a strike[ of {staff_id}]"),
    to("strikes.wipe", "Strike deleted", Other, "deleted a strike[ of {staff_id}]"),
    to("strikes.expire", "Strike expired", Other, "ended a strike[ of {staff_id}]: its time was over"),
    to("notes.create", "Note written", Other, "wrote a note[ about {staff_id}]"),
    to("notes.update", "Note changed", Other, "changed note {target}"),
    to("notes.delete", "Note deleted", Other, "deleted a note[ about {staff_id}]"),
];

const SERVERS: [Action; 5] = [
    to("games.register", "Game registered", Other, "registered the game {name}"),
    to("commands.queue", "Command sent", Other, "sent the command {type}[ to server {server_id}]"),
    to(
        "commands.queue_all",
        "Command sent to all servers",
        Other,
        "sent the command {type} to {servers} live servers[ of {place_id}]",
    ),
    to("commands.acknowledge", "Command answered", Other, "answered command {target}[: {status}]"),
    to(
        "commands.expire",
        "Command expired",
        Other,
        "dropped the command {type}: the game server did not fetch it",
    ),
];

const APPLICATIONS: [Action; 11] = [
    to("application_panels.add", "Panel added", Other, "added the panel {name}"),
    to("application_panels.update", "Panel changed", Other, "changed panel {target}"),
    to("application_panels.remove", "Panel removed", Other, "removed the panel {name}"),
    to(
        "application_panels.publish_requested",
        "Panel to be posted",
        Other,
        "asked for a panel to be posted in channel {channel_id}",
    ),
    to(
        "application_panels.publish",
        "Panel posted",
        Other,
        "posted the panel {name} in channel {channel_id}",
    ),
    to(
        "application_submissions.add",
        "Application received",
        Other,
        "received application {target}[ of {chat_id}]",
    ),
    to(
        "application_submissions.accept",
        "Application accepted",
        Other,
        "accepted application {target}[ of {chat_id}][ for {panel_id}][: {reason}]",
    ),
    to(
        "application_submissions.refuse",
        "Application refused",
        Other,
        "refused application {target}[ of {chat_id}][ for {panel_id}][: {reason}]",
    ),
    to(
        "application_submissions.comment",
        "Comment on an application",
        Other,
        "commented on application {target}[ of {chat_id}]",
    ),
    to(
        "ticket.create_requested",
        "Ticket to be opened",
        Other,
        "asked for a ticket[ for application {submission_id}]",
    ),
    to("ticket.create", "Ticket opened", Other, "opened a ticket[ for application {submission_id}]"),
];

const JOBS: [Action; 6] = [
    to("job.finished", "Job finished", Other, "finished a job: [{kind}][, {state}]"),
    to("job.failed", "Job failed", Other, "could not do a job: {kind}[: {message}]"),
    to("jobs.cancel", "Job cancelled", Other, "cancelled a job[: {kind}]"),
    to("jobs.retry", "Job retried", Other, "ran a job again[: {kind}]"),
    to("jobs.pause", "Jobs paused", Other, "paused the jobs of this server[: {reason}]"),
    to("jobs.resume", "Jobs resumed", Other, "resumed the jobs of this server"),
];

const SETTINGS: [Action; 21] = [
    to("settings.update", "Settings changed", Other, "changed the settings"),
    to("keys.create", "Key created", Other, "created the key {name}"),
    to("keys.rotate", "Key replaced", Other, "replaced the key {target}"),
    to("keys.revoke", "Key revoked", Other, "revoked the key {name}"),
    to("webhooks.add", "Webhook added", Other, "added webhook {target}"),
    to("webhooks.update", "Webhook changed", Other, "changed webhook {target}"),
    to("webhooks.rotate", "Webhook's secret replaced", Other, "replaced the secret of webhook {target}"),
    to("webhooks.test", "Webhook tested", Other, "sent a test to webhook {target}"),
    to("webhooks.replay", "Event sent again", Other, "sent an event to webhook {target} again"),
    to(
        "webhooks.gone",
        "Webhook switched off",
        Other,
        "switched webhook {target} off: its receiver answered 410",
    ),
    to("webhooks.remove", "Webhook removed", Other, "removed webhook {target}"),
    to("log_channels.put", "Log channel set", Other, "set which news channel {target} gets[: {news}]"),
    to("log_channels.delete", "Log channel removed", Other, "removed the log channel {target}"),
    to(
        "log_channels.refused",
        "Log channel switched off",
        Other,
        "switched the log channel {target} off: Discord refused a message[: {message}]",
    ),
    to("games.trust", "Game trusted", Other, "trusted the key {name}: its codes prove for all servers"),
    to("games.untrust", "Game no longer trusted", Other, "no longer trusts the key {name}"),
    to(
        "console.link",
        "Sign-in link created",
        Person,
        "created a link that signs {target} in to the console",
    ),
    to("console.sign_in", "Sign-in to the console", Person, "signed in to the console"),
    to("console.session_ended", "Session of the console ended", Person, "ended a session of {target}"),
    to("guilds.add", "Server added", Other, "added this server to Guildhall"),
    to("guilds.seed", "Data loaded from a file", Other, "loaded data of this server from a file"),
];

/// `None`: a client of the API named the action.
pub fn of(code: &str) -> Option<&'static Action> {
    AREAS.iter().flat_map(|(_, actions)| actions.iter()).find(|action| action.code == code)
}

/// The type of an entry's target.
pub fn target_of(entry: &Model) -> Target {
    of(&entry.action).map_or(Other, |action| action.target)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use entities::audit_action;

    use super::*;

    #[test]
    fn every_action_that_the_service_writes_has_words_and_no_other() {
        let named: Vec<_> = AREAS.iter().flat_map(|(_, actions)| actions.iter()).collect();
        let codes: BTreeSet<_> = named.iter().map(|action| action.code).collect();
        assert_eq!(codes, BTreeSet::from(audit_action::ALL));
        assert_eq!(named.len(), codes.len(), "each once");
        for action in named {
            assert!(!action.title.is_empty() && !action.done.is_empty(), "{}", action.code);
        }
    }
}
