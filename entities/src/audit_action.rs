//! The actions that the service itself writes to the audit log. [`NewEntry`](crate::audit_entry::NewEntry) takes no
//! other one, so readers of the log can have words for each.

/// In the order of the alphabet.
pub const ALL: [&str; 114] = [
    "accounts.erase",
    "actions.add",
    "application_panels.add",
    "application_panels.publish",
    "application_panels.publish_requested",
    "application_panels.remove",
    "application_panels.update",
    "application_submissions.accept",
    "application_submissions.add",
    "application_submissions.comment",
    "application_submissions.refuse",
    "bindings.add",
    "bindings.remove",
    "bindings.update",
    "commands.acknowledge",
    "commands.expire",
    "commands.queue",
    "commands.queue_all",
    "console.link",
    "console.session_ended",
    "console.sign_in",
    "games.register",
    "games.trust",
    "games.untrust",
    "guilds.add",
    "guilds.seed",
    "job.failed",
    "job.finished",
    "jobs.cancel",
    "jobs.pause",
    "jobs.resume",
    "jobs.retry",
    "keys.create",
    "keys.revoke",
    "keys.rotate",
    "link_attempts.approve",
    "link_attempts.begin",
    "link_attempts.cancel",
    "link_attempts.hold",
    "link_attempts.refuse",
    "link_attempts.reject",
    "links.add",
    "links.import",
    "links.remove",
    "links.replace",
    "links.swap",
    "loa.approve",
    "loa.create",
    "loa.delete",
    "loa.expire",
    "loa.reject",
    "loa.request",
    "loa.request_update",
    "loa.update",
    "loa.withdraw",
    "log_channels.delete",
    "log_channels.put",
    "log_channels.refused",
    "moderation.ban",
    "moderation.ban_expired",
    "moderation.mirror",
    "moderation.mirror_allowed",
    "moderation.mirror_failed",
    "moderation.mute",
    "moderation.mute_expired",
    "moderation.unban",
    "moderation.unmute",
    "notes.create",
    "notes.delete",
    "notes.update",
    "quotas.approve",
    "quotas.create",
    "quotas.delete",
    "quotas.reject",
    "quotas.update",
    "roles.assign",
    "roles.assign_requested",
    "roles.remove",
    "roles.remove_requested",
    "sessions.end",
    "sessions.expire",
    "sessions.start",
    "settings.update",
    "shield.allow",
    "shield.disallow",
    "shield.flag",
    "shield.import",
    "shield.import_requested",
    "shield.lift",
    "staff_members.delete",
    "staff_members.put",
    "staff_roles.delete",
    "staff_roles.put",
    "strikes.create",
    "strikes.expire",
    "strikes.remove",
    "strikes.update",
    "strikes.wipe",
    "sync.all_requested",
    "sync.follow_continued",
    "sync.follow_stopped",
    "sync.follow_updated",
    "sync.member",
    "sync.requested",
    "sync.undone",
    "ticket.create",
    "ticket.create_requested",
    "webhooks.add",
    "webhooks.gone",
    "webhooks.remove",
    "webhooks.replay",
    "webhooks.rotate",
    "webhooks.test",
    "webhooks.update",
];

/// Whether the service writes this action.
pub(crate) fn is_known(action: &str) -> bool {
    ALL.binary_search(&action).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_name_each_action() {
        let rules = include_str!("../../docs/rules.md");
        let row = |line: &str| -> Vec<String> {
            let words: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
            words.iter().skip(1).map(|verb| format!("{}.{verb}", words[0])).collect()
        };
        let (_, table) = rules.split_once("## 12. Audit actions").unwrap();
        let named: Vec<String> = table
            .lines()
            .skip_while(|line| !line.starts_with("| `"))
            .take_while(|line| line.starts_with('|'))
            .flat_map(row)
            .collect();
        assert_eq!(named, ALL);
    }

    #[test]
    fn the_list_is_in_order() {
        assert!(ALL.is_sorted_by(|a, b| a < b), "is_known searches it");
        assert!(is_known("moderation.ban") && !is_known("ban"));
    }
}
