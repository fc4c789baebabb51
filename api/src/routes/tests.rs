use super::*;
use crate::call::route::{Needs, Route, Runs};

fn rows() -> impl Iterator<Item = &'static Route> {
    AREAS.iter().flat_map(|area| area.routes)
}

#[test]
fn an_endpoint_is_found_by_its_url_and_method() {
    for row in rows() {
        // A mute's endpoint is the ban's.
        let path = row.path.replace("mute", "ban");
        let url = path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{'));
        let list = row.path.strip_suffix("/{chatId}");
        let is_one_of_a_list =
            list.is_some_and(|list| rows().any(|other| other.path == list && other.method == row.method));
        let module: Vec<_> = url
            .map(|part| part.replace('-', "_"))
            .chain(is_one_of_a_list.then(|| "of_chat".to_owned()))
            .chain([row.method.as_str().to_lowercase()])
            .collect();
        assert_eq!(row.endpoint.module.replace(' ', ""), module.join("::"));
    }
}

#[test]
fn reads_are_counted_as_reads_and_writes_as_writes() {
    for row in rows() {
        let name = row.limit.name();
        let read = row.method == Method::GET;
        assert!(!name.ends_with("_read") || read, "{} {} counts as {name}", row.method, row.path);
        assert!(!name.ends_with("_write") || !read, "{} {} counts as {name}", row.method, row.path);
        assert!(!read || (!row.writes && row.runs != Runs::AsJobs), "{} {}", row.method, row.path);
    }
}

/// The group of a path in the table of docs/rules.md 3.
fn group(path: &str) -> &'static str {
    let groups = [
        ("/lookup/", "lookup"),
        ("/reverse", "lookup"),
        ("/bindings/", "bindings"),
        ("/interactions/", "sync"),
        ("/moderation/{guildId}/play/bans/active", "active_lists"),
        ("/moderation/{guildId}/play/mutes/active", "active_lists"),
        ("/moderation/", "moderation"),
        ("/staff/", "staff"),
        ("/guilds/{guildId}/staff/", "staff"),
        ("/guilds/{guildId}/audit-logs", "audit_logs"),
        ("/guilds/{guildId}/link", "links"),
        // Queuing a command for one server counts as moderation.
        ("/play/servers/{serverId}/commands", "moderation"),
    ];
    groups.iter().find(|(start, _)| path.starts_with(start)).map_or("guild_config", |found| found.1)
}

#[test]
fn hot_paths_have_a_bucket_of_their_own_and_groups_share_one_for_reads_and_one_for_writes() {
    for row in rows() {
        let name = row.limit.name();
        let sharing = rows().filter(|other| other.limit == row.limit).count();
        match name.strip_suffix("_read").or_else(|| name.strip_suffix("_write")) {
            Some(shared) => assert_eq!(shared, group(row.path), "{} {}", row.method, row.path),
            None => assert_eq!(sharing, 1, "{} {} shares {name}", row.method, row.path),
        }
    }
}

/// Paths that only keys with the scope `admin` may call.
const ADMIN_ONLY: [&str; 11] = [
    "/guilds/{guildId}/keys",
    "/guilds/{guildId}/keys/{publicId}",
    "/guilds/{guildId}/keys/{publicId}/rotate",
    "/guilds/{guildId}/settings",
    "/guilds/{guildId}/staff/roles/{roleId}",
    "/guilds/{guildId}/staff/members/{chatId}",
    "/guilds/{guildId}/application-panels",
    "/guilds/{guildId}/application-panels/{panelId}",
    "/guilds/{guildId}/application-panels/{panelId}/publish",
    "/guilds/{guildId}/application-submissions",
    "/moderation/{guildId}/bans/{banId}/mirror",
];

#[test]
fn a_default_key_can_call_all_of_the_interface() {
    let default = entities::api_key::Scopes::default_set();
    let added = |row: &&Route| {
        let begins = |with: &str| row.path.starts_with(with);
        ADMIN_ONLY.contains(&row.path)
            || begins("/guilds/{guildId}/link")
            || begins("/guilds/{guildId}/log-channels")
            || begins("/guilds/{guildId}/webhooks")
    };
    for row in rows().filter(|row| !added(row)) {
        let enough = match row.needs {
            Needs::Scope(scope) => default.contains(scope),
            // Jobs of the service itself belong to no guild.
            Needs::ScopeOfJob => jobs::kinds::ALL
                .iter()
                .filter(|(_, scope)| *scope != Scope::Admin && *scope != Scope::Links)
                .all(|(_, scope)| default.contains(*scope)),
        };
        assert!(enough, "{} {} needs {}", row.method, row.path, row.needs);
    }
}

#[test]
fn people_make_only_calls_that_there_are() {
    for (method, path, _) in people::actions::calls() {
        assert!(rows().any(|row| row.method.as_str() == method && row.path == path), "{method} {path}");
    }
}

/// The areas that a scope opens, in the table of docs/rules.md 1.
fn documented(scope: Scope) -> Vec<&'static str> {
    let start = format!("| `{}` | ", scope.name());
    let rules = include_str!("../../../docs/rules.md");
    let row = rules.lines().find_map(|line| line.trim_start().strip_prefix(&start)).unwrap();
    row.split(" | ").next().unwrap().split(", ").collect()
}

#[test]
fn the_rules_say_what_each_scope_opens() {
    for scope in Scope::ALL {
        let opens = |area: &&Area| area.routes.iter().any(|row| row.needs == Needs::Scope(*scope));
        let areas: Vec<_> = AREAS.iter().filter(opens).map(|area| area.name).collect();
        assert_eq!(documented(*scope), areas, "{scope}");
    }
}
