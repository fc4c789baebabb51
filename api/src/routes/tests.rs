use queue::Payload;
use queue::kinds::PeriodicTask;
use std::time::Duration;

use ::http::Method;

use super::*;
use crate::http::error::Kind;
use crate::route::{Needs, Router, plain};

/// Sections 4 and 8 of the interface, and what decisions add: method, path, requests, seconds.
const INTERFACE: &[(&str, &str, u32, u64)] = &[
    ("GET", "/lookup/chat/{chatId}", 60, 60),
    ("GET", "/lookup/play/{playId}", 60, 60),
    ("POST", "/lookup/status", 60, 60),
    ("POST", "/reverse", 60, 60),
    ("GET", "/bindings/list", 100, 60),
    ("POST", "/bindings/add", 30, 60),
    ("PATCH", "/bindings/update", 30, 60),
    ("DELETE", "/bindings/remove/{bindingId}", 30, 60),
    ("POST", "/bindings/test", 30, 60),
    ("POST", "/bindings/validate", 30, 60),
    ("POST", "/interactions/sync", 30, 60),
    ("POST", "/interactions/sync/all", 1, 3600),
    ("POST", "/interactions/roles/assign", 30, 60),
    ("POST", "/interactions/roles/remove", 30, 60),
    ("GET", "/guilds/{guildId}/roles", 100, 60),
    ("GET", "/guilds/{guildId}/members", 100, 60),
    ("GET", "/guilds/{guildId}/verified-users", 100, 60),
    ("GET", "/guilds/{guildId}/audit-logs", 100, 60),
    ("POST", "/guilds/{guildId}/audit-logs", 20, 60),
    ("GET", "/moderation/{guildId}/ban-status/{identifier}", 300, 60),
    ("GET", "/moderation/{guildId}/mute-status/{identifier}", 300, 60),
    ("GET", "/moderation/{guildId}/play/bans/active", 100, 60),
    ("GET", "/moderation/{guildId}/play/mutes/active", 100, 60),
    ("POST", "/moderation/{guildId}/play/ban", 50, 60),
    ("POST", "/moderation/{guildId}/play/unban", 50, 60),
    ("POST", "/moderation/{guildId}/play/mute", 50, 60),
    ("POST", "/moderation/{guildId}/play/unmute", 50, 60),
    ("GET", "/moderation/{guildId}/bans", 100, 60),
    ("GET", "/shield/check/{playId}", 300, 60),
    ("POST", "/shield/batch", 300, 60),
    ("POST", "/shield/import", 50, 60),
    ("GET", "/staff/members/{guildId}", 100, 60),
    ("GET", "/staff/permissions/{guildId}/{userId}", 100, 60),
    ("GET", "/guilds/{guildId}/staff/profile/{userId}", 100, 60),
    ("GET", "/staff/activity/{guildId}", 100, 60),
    ("GET", "/staff/stats/{guildId}", 100, 60),
    ("GET", "/staff/leaderboard/{guildId}", 100, 60),
    ("GET", "/staff/action-types", 100, 60),
    ("GET", "/guilds/{guildId}/staff/loa", 100, 60),
    ("POST", "/guilds/{guildId}/staff/loa", 30, 60),
    ("PATCH", "/guilds/{guildId}/staff/loa/{loaId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/loa/{loaId}", 30, 60),
    ("POST", "/guilds/{guildId}/staff/loa/expire", 30, 60),
    ("GET", "/guilds/{guildId}/staff/strikes", 100, 60),
    ("POST", "/guilds/{guildId}/staff/strikes", 30, 60),
    ("PATCH", "/guilds/{guildId}/staff/strikes/{strikeId}/update", 30, 60),
    ("PATCH", "/guilds/{guildId}/staff/strikes/{strikeId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/strikes/{strikeId}", 30, 60),
    ("POST", "/guilds/{guildId}/staff/strikes/expire", 30, 60),
    ("GET", "/guilds/{guildId}/staff/notes", 100, 60),
    ("POST", "/guilds/{guildId}/staff/notes", 30, 60),
    ("PATCH", "/guilds/{guildId}/staff/notes/{noteId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/notes/{noteId}", 30, 60),
    ("GET", "/guilds/{guildId}/staff/quota", 100, 60),
    ("POST", "/guilds/{guildId}/staff/quota", 30, 60),
    ("PATCH", "/guilds/{guildId}/staff/quota/{quotaId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/quota/{quotaId}", 30, 60),
    ("GET", "/guilds/{guildId}/staff/quota/{quotaId}/progress", 100, 60),
    ("GET", "/guilds/{guildId}/staff/quota-pending", 100, 60),
    ("POST", "/guilds/{guildId}/staff/quota-pending/{actionId}/approve", 30, 60),
    ("POST", "/guilds/{guildId}/staff/quota-pending/{actionId}/reject", 30, 60),
    ("PUT", "/guilds/{guildId}/staff/roles/{roleId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/roles/{roleId}", 30, 60),
    ("PUT", "/guilds/{guildId}/staff/members/{chatId}", 30, 60),
    ("DELETE", "/guilds/{guildId}/staff/members/{chatId}", 30, 60),
    ("POST", "/staff/play/verify", 200, 60),
    ("POST", "/play/games/register", 200, 60),
    ("POST", "/staff/play/session/start", 100, 60),
    ("POST", "/staff/play/session/end", 100, 60),
    ("POST", "/staff/play/heartbeat", 300, 60),
    ("POST", "/staff/play/action", 200, 60),
    ("GET", "/guilds/{guildId}/staff/play/{playId}/permissions", 200, 60),
    ("POST", "/play/servers/heartbeat", 300, 60),
    ("GET", "/play/servers/{serverId}/commands", 300, 60),
    ("POST", "/play/servers/{serverId}/commands/{commandId}/ack", 100, 60),
    ("POST", "/play/servers/{serverId}/commands", 50, 60),
    ("POST", "/guilds/{guildId}/servers/commands", 20, 60),
    ("GET", "/guilds/{guildId}/servers", 100, 60),
    ("POST", "/guilds/{guildId}/application-submissions/{submissionId}/create-ticket", 20, 60),
    ("GET", "/guilds/{guildId}/application-panels", 100, 60),
    ("POST", "/guilds/{guildId}/application-panels", 20, 60),
    ("GET", "/guilds/{guildId}/application-submissions", 100, 60),
    ("POST", "/guilds/{guildId}/application-submissions", 20, 60),
    ("GET", "/ws/guilds/{guildId}/play", 10, 60),
    ("GET", "/guilds/{guildId}/settings", 100, 60),
    ("PATCH", "/guilds/{guildId}/settings", 20, 60),
    ("GET", "/guilds/{guildId}/jobs", 100, 60),
    ("GET", "/jobs/{jobId}", 100, 60),
    ("DELETE", "/jobs/{jobId}", 20, 60),
    ("POST", "/jobs/{jobId}/retry", 20, 60),
];

#[test]
fn every_row_of_the_interface_is_served_with_its_limit_and_nothing_else_is() {
    for &(method, path, limit, seconds) in INTERFACE {
        let row = ROUTES.iter().find(|row| row.method == method && row.path == path);
        let quota = row.unwrap_or_else(|| panic!("{method} {path} has no row")).bucket.quota();
        assert_eq!((quota.limit, quota.window), (limit, Duration::from_secs(seconds)), "{method} {path}");
    }
    assert_eq!(ROUTES.len(), INTERFACE.len());
}

#[test]
fn reads_are_counted_as_reads_and_writes_as_writes() {
    for row in ROUTES {
        let name = row.bucket.name();
        let read = row.method == Method::GET;
        assert!(!name.ends_with("_read") || read, "{} {} counts as {name}", row.method, row.path);
        assert!(!name.ends_with("_write") || !read, "{} {} counts as {name}", row.method, row.path);
        assert!(!read || (!row.writes && !row.enqueues), "{} {}", row.method, row.path);
    }
}

/// The standard group of a path in section 8.
fn group(path: &str) -> &'static str {
    let groups = [
        ("/lookup/", "lookup"),
        ("/reverse", "lookup"),
        ("/bindings/", "bindings"),
        ("/interactions/", "sync"),
        ("/moderation/", "moderation"),
        ("/staff/", "staff"),
        ("/guilds/{guildId}/staff/", "staff"),
        ("/guilds/{guildId}/audit-logs", "audit_logs"),
        // Queuing a command is an act of moderation (docs/rules.md 7).
        ("/play/servers/{serverId}/commands", "moderation"),
    ];
    groups.iter().find(|(start, _)| path.starts_with(start)).map_or("guild_config", |found| found.1)
}

#[test]
fn hot_paths_have_a_bucket_of_their_own_and_groups_share_one_for_reads_and_one_for_writes() {
    for row in ROUTES {
        let name = row.bucket.name();
        let sharing = ROUTES.iter().filter(|other| other.bucket == row.bucket).count();
        match name.strip_suffix("_read").or_else(|| name.strip_suffix("_write")) {
            Some(shared) => assert_eq!(shared, group(row.path), "{} {}", row.method, row.path),
            None => assert_eq!(sharing, 1, "{} {} shares {name}", row.method, row.path),
        }
    }
}

/// What decisions add for the admins of a guild; nothing of the interface itself needs the scope `admin`.
const ADMIN_ONLY: [&str; 5] = [
    "/guilds/{guildId}/settings",
    "/guilds/{guildId}/staff/roles/{roleId}",
    "/guilds/{guildId}/staff/members/{chatId}",
    "/guilds/{guildId}/application-panels",
    "/guilds/{guildId}/application-submissions",
];

#[test]
fn a_default_key_can_call_all_of_the_interface() {
    let default = entities::api_key::Scopes::default_set();
    for row in ROUTES.iter().filter(|row| !ADMIN_ONLY.contains(&row.path)) {
        let enough = match row.needs {
            Needs::Scope(scope) => default.contains(scope),
            // Jobs of the service itself belong to no guild.
            Needs::ScopeOfJob => queue::kinds::ALL
                .iter()
                .filter(|(kind, _)| *kind != PeriodicTask::KIND)
                .all(|(_, scope)| default.contains(*scope)),
        };
        assert!(enough, "{} {} needs {}", row.method, row.path, row.needs);
    }
}

#[test]
fn a_request_finds_its_row_or_hears_what_the_path_takes() {
    let router = Router::new(ROUTES);
    let (row, params) = router.find(&Method::GET, "/lookup/chat/%31%37").unwrap();
    assert_eq!((row.path, params.get("chatId")), ("/lookup/chat/{chatId}", Some("17")));
    let wrong = router.find(&Method::PUT, "/jobs/1").unwrap_err();
    assert_eq!(wrong.parts().allow.as_deref(), Some("GET, HEAD, DELETE"));
    for path in ["/", "/lookup", "/lookup/chat/", "/lookup/chat/1/2", "/reverse/", "//reverse"] {
        assert_eq!(router.find(&Method::POST, path).unwrap_err().kind(), Kind::NotFound, "{path}");
    }
    assert_eq!(router.find(&Method::GET, "/lookup/chat/%00").unwrap_err().kind(), Kind::BadRequest);
}

#[test]
fn version_prefix_and_last_slash_are_taken_off_once() {
    for path in ["/api/v1/reverse", "/reverse/", "/api/v1/reverse/", "/reverse"] {
        assert_eq!(plain(path), "/reverse");
    }
    assert_eq!(plain("/api/v1/api/v1/reverse"), "/api/v1/reverse");
    assert_eq!(plain("/reverse//"), "/reverse/");
    for path in ["/api/v1", "/api/v10/reverse", "/"] {
        assert_eq!(plain(path), path);
    }
}

#[test]
fn a_server_may_have_an_empty_id() {
    let router = Router::new(ROUTES);
    let (row, params) = router.find(&Method::GET, "/play/servers//commands").unwrap();
    assert_eq!((row.path, params.get("serverId")), ("/play/servers/{serverId}/commands", None));
    assert!(router.find(&Method::POST, "/play/servers//commands/7/ack").is_ok());
}
