//! The one table of endpoints. It reads like sections 4 and 8 of the interface: path, quota, scope, handler.
//!
//! Reading needs the scope `read`, also by POST; roles and their bindings `sync`; settings and who is staff `admin`.
//! Every row is served below `/api/v1` too. `/health/live`, `/health/ready` and `/metrics` need no key and stand in `http::ops`.

use entities::api_key::Scope::{Admin, Moderation, Play, Read, Shield, Staff, Sync};

use crate::bucket::Bucket::{
    AuditLogsRead, AuditLogsWrite, BanStatus, BindingsRead, BindingsWrite, CommandAck, GameRegister,
    GuildConfigRead, GuildConfigWrite, LiveConnect, LookupRead, LookupWrite, ModerationRead, ModerationWrite,
    MuteStatus, ServerCommands, ServerHeartbeat, SessionEnd, SessionStart, ShieldBatch, ShieldCheck,
    ShieldImport, StaffAction, StaffHeartbeat, StaffPlayPermissions, StaffRead, StaffVerify, StaffWrite,
    SyncAll, SyncWrite,
};
use crate::route::{IMPORT_BODY_LIMIT, Route};
use crate::{bindings, guilds, interactions, jobs, lookup, moderation, play, reverse, shield, staff, ws};

/// An `async fn(Call)` as the table holds it.
macro_rules! run {
    ($handler:path) => {
        |call| Box::pin($handler(call))
    };
}

pub(crate) static ROUTES: &[Route] = &[
    // 4.1 Lookup
    Route::get("/lookup/chat/{chatId}", LookupRead, Read, run!(lookup::chat)),
    Route::get("/lookup/play/{playId}", LookupRead, Read, run!(lookup::play)),
    Route::post("/lookup/status", LookupWrite, Read, run!(lookup::status)).reads(),
    Route::post("/reverse", LookupWrite, Read, run!(reverse::reverse)).reads(),
    // 4.2 Bindings
    Route::get("/bindings/list", BindingsRead, Read, run!(bindings::list)),
    Route::post("/bindings/add", BindingsWrite, Sync, run!(bindings::add)),
    Route::patch("/bindings/update", BindingsWrite, Sync, run!(bindings::update)),
    Route::delete("/bindings/remove/{bindingId}", BindingsWrite, Sync, run!(bindings::remove)),
    Route::post("/bindings/test", BindingsWrite, Read, run!(bindings::test)).reads(),
    Route::post("/bindings/validate", BindingsWrite, Read, run!(bindings::validate)).reads(),
    // 4.3 Sync and manual roles
    Route::post("/interactions/sync", SyncWrite, Sync, run!(interactions::sync)).enqueues(),
    Route::post("/interactions/sync/all", SyncAll, Sync, run!(interactions::sync_all)).enqueues(),
    Route::post("/interactions/roles/assign", SyncWrite, Sync, run!(interactions::assign)).enqueues(),
    Route::post("/interactions/roles/remove", SyncWrite, Sync, run!(interactions::remove)).enqueues(),
    // 4.4 Guild basics
    Route::get("/guilds/{guildId}/roles", GuildConfigRead, Read, run!(guilds::roles)),
    Route::get("/guilds/{guildId}/members", GuildConfigRead, Read, run!(guilds::members)),
    Route::get("/guilds/{guildId}/verified-users", GuildConfigRead, Read, run!(guilds::verified_users)),
    // 4.5 Audit logs
    Route::get("/guilds/{guildId}/audit-logs", AuditLogsRead, Read, run!(guilds::list_audit_logs)),
    Route::post("/guilds/{guildId}/audit-logs", AuditLogsWrite, Moderation, run!(guilds::add_audit_log)),
    // 4.6 Moderation
    Route::get(
        "/moderation/{guildId}/ban-status/{identifier}",
        BanStatus,
        Read,
        run!(moderation::ban_status),
    ),
    Route::get(
        "/moderation/{guildId}/mute-status/{identifier}",
        MuteStatus,
        Read,
        run!(moderation::mute_status),
    ),
    Route::get("/moderation/{guildId}/play/bans/active", ModerationRead, Read, run!(moderation::play::bans)),
    Route::get(
        "/moderation/{guildId}/play/mutes/active",
        ModerationRead,
        Read,
        run!(moderation::play::mutes),
    ),
    Route::post("/moderation/{guildId}/play/ban", ModerationWrite, Moderation, run!(moderation::play::ban)),
    Route::post(
        "/moderation/{guildId}/play/unban",
        ModerationWrite,
        Moderation,
        run!(moderation::play::unban),
    ),
    Route::post("/moderation/{guildId}/play/mute", ModerationWrite, Moderation, run!(moderation::play::mute)),
    Route::post(
        "/moderation/{guildId}/play/unmute",
        ModerationWrite,
        Moderation,
        run!(moderation::play::unmute),
    ),
    // Beyond the interface: the history of bans
    Route::get("/moderation/{guildId}/bans", ModerationRead, Read, run!(moderation::bans)),
    // 4.7 Shield
    Route::get("/shield/check/{playId}", ShieldCheck, Read, run!(shield::check)),
    Route::post("/shield/batch", ShieldBatch, Read, run!(shield::batch)).reads(),
    Route::post("/shield/import", ShieldImport, Shield, run!(shield::import))
        .enqueues()
        .takes_up_to(IMPORT_BODY_LIMIT),
    // 4.8 Staff
    Route::get("/staff/members/{guildId}", StaffRead, Read, run!(staff::members)),
    Route::get("/staff/permissions/{guildId}/{userId}", StaffRead, Read, run!(staff::permissions)),
    Route::get("/guilds/{guildId}/staff/profile/{userId}", StaffRead, Read, run!(guilds::staff::profile)),
    Route::get("/staff/activity/{guildId}", StaffRead, Read, run!(staff::activity)),
    Route::get("/staff/stats/{guildId}", StaffRead, Read, run!(staff::stats)),
    Route::get("/staff/leaderboard/{guildId}", StaffRead, Read, run!(staff::leaderboard)),
    Route::get("/staff/action-types", StaffRead, Read, run!(staff::action_types)),
    // 4.9 LOA
    Route::get("/guilds/{guildId}/staff/loa", StaffRead, Read, run!(guilds::staff::loa::list)),
    Route::post("/guilds/{guildId}/staff/loa", StaffWrite, Staff, run!(guilds::staff::loa::create)),
    Route::patch("/guilds/{guildId}/staff/loa/{loaId}", StaffWrite, Staff, run!(guilds::staff::loa::change)),
    Route::delete("/guilds/{guildId}/staff/loa/{loaId}", StaffWrite, Staff, run!(guilds::staff::loa::remove)),
    Route::post("/guilds/{guildId}/staff/loa/expire", StaffWrite, Staff, run!(guilds::staff::loa::expire)),
    // 4.10 Strikes
    Route::get("/guilds/{guildId}/staff/strikes", StaffRead, Read, run!(guilds::staff::strikes::list)),
    Route::post("/guilds/{guildId}/staff/strikes", StaffWrite, Staff, run!(guilds::staff::strikes::create)),
    Route::patch(
        "/guilds/{guildId}/staff/strikes/{strikeId}/update",
        StaffWrite,
        Staff,
        run!(guilds::staff::strikes::change),
    ),
    Route::patch(
        "/guilds/{guildId}/staff/strikes/{strikeId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::strikes::remove),
    ),
    Route::delete(
        "/guilds/{guildId}/staff/strikes/{strikeId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::strikes::wipe),
    ),
    Route::post(
        "/guilds/{guildId}/staff/strikes/expire",
        StaffWrite,
        Staff,
        run!(guilds::staff::strikes::expire),
    ),
    // 4.11 Notes
    Route::get("/guilds/{guildId}/staff/notes", StaffRead, Read, run!(guilds::staff::notes::list)),
    Route::post("/guilds/{guildId}/staff/notes", StaffWrite, Staff, run!(guilds::staff::notes::create)),
    Route::patch(
        "/guilds/{guildId}/staff/notes/{noteId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::notes::edit),
    ),
    Route::delete(
        "/guilds/{guildId}/staff/notes/{noteId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::notes::remove),
    ),
    // 4.12 Quotas
    Route::get("/guilds/{guildId}/staff/quota", StaffRead, Read, run!(guilds::staff::quota::list)),
    Route::post("/guilds/{guildId}/staff/quota", StaffWrite, Staff, run!(guilds::staff::quota::create)),
    Route::patch(
        "/guilds/{guildId}/staff/quota/{quotaId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::quota::change),
    ),
    Route::delete(
        "/guilds/{guildId}/staff/quota/{quotaId}",
        StaffWrite,
        Staff,
        run!(guilds::staff::quota::remove),
    ),
    Route::get(
        "/guilds/{guildId}/staff/quota/{quotaId}/progress",
        StaffRead,
        Read,
        run!(guilds::staff::quota::progress),
    ),
    Route::get(
        "/guilds/{guildId}/staff/quota-pending",
        StaffRead,
        Read,
        run!(guilds::staff::quota_pending::list),
    ),
    Route::post(
        "/guilds/{guildId}/staff/quota-pending/{actionId}/approve",
        StaffWrite,
        Staff,
        run!(guilds::staff::quota_pending::approve),
    ),
    Route::post(
        "/guilds/{guildId}/staff/quota-pending/{actionId}/reject",
        StaffWrite,
        Staff,
        run!(guilds::staff::quota_pending::reject),
    ),
    // Beyond the interface: who is staff (docs/rules.md 6)
    Route::put("/guilds/{guildId}/staff/roles/{roleId}", StaffWrite, Admin, run!(guilds::staff::roles::put)),
    Route::delete(
        "/guilds/{guildId}/staff/roles/{roleId}",
        StaffWrite,
        Admin,
        run!(guilds::staff::roles::delete),
    ),
    Route::put(
        "/guilds/{guildId}/staff/members/{chatId}",
        StaffWrite,
        Admin,
        run!(guilds::staff::members::put),
    ),
    Route::delete(
        "/guilds/{guildId}/staff/members/{chatId}",
        StaffWrite,
        Admin,
        run!(guilds::staff::members::delete),
    ),
    // 4.13 Game activity
    Route::post("/staff/play/verify", StaffVerify, Play, run!(staff::play::verify)).reads(),
    Route::post("/play/games/register", GameRegister, Play, run!(play::register)),
    Route::post("/staff/play/session/start", SessionStart, Play, run!(staff::play::start)),
    Route::post("/staff/play/session/end", SessionEnd, Play, run!(staff::play::end)),
    Route::post("/staff/play/heartbeat", StaffHeartbeat, Play, run!(staff::play::heartbeat)),
    Route::post("/staff/play/action", StaffAction, Play, run!(staff::play::action)),
    Route::get(
        "/guilds/{guildId}/staff/play/{playId}/permissions",
        StaffPlayPermissions,
        Play,
        run!(guilds::play_permissions),
    ),
    // 4.14 Server manager
    Route::post("/play/servers/heartbeat", ServerHeartbeat, Play, run!(play::heartbeat)),
    Route::get("/play/servers/{serverId}/commands", ServerCommands, Play, run!(play::poll)),
    Route::post("/play/servers/{serverId}/commands/{commandId}/ack", CommandAck, Play, run!(play::ack)),
    // Beyond the interface: who queues commands is a moderator at a dashboard, not a game server (docs/rules.md 7)
    Route::post("/play/servers/{serverId}/commands", ModerationWrite, Moderation, run!(play::queue)),
    Route::post(
        "/guilds/{guildId}/servers/commands",
        GuildConfigWrite,
        Moderation,
        run!(guilds::command_all),
    ),
    Route::get("/guilds/{guildId}/servers", GuildConfigRead, Read, run!(guilds::servers)),
    // 4.15 Tickets
    Route::post(
        "/guilds/{guildId}/application-submissions/{submissionId}/create-ticket",
        GuildConfigWrite,
        Staff,
        run!(guilds::application_submissions::create_ticket),
    )
    .enqueues(),
    // Beyond the interface: what tickets are made from (docs/rules.md 7)
    Route::get(
        "/guilds/{guildId}/application-panels",
        GuildConfigRead,
        Read,
        run!(guilds::application_panels::list),
    ),
    Route::post(
        "/guilds/{guildId}/application-panels",
        GuildConfigWrite,
        Admin,
        run!(guilds::application_panels::add),
    ),
    Route::get(
        "/guilds/{guildId}/application-submissions",
        GuildConfigRead,
        Staff,
        run!(guilds::application_submissions::list),
    ),
    Route::post(
        "/guilds/{guildId}/application-submissions",
        GuildConfigWrite,
        Admin,
        run!(guilds::application_submissions::add),
    ),
    // 4.16 WebSocket
    Route::get("/ws/guilds/{guildId}/play", LiveConnect, Play, run!(ws::play)),
    // Beyond the interface: settings and jobs (docs/rules.md 5 and 8)
    Route::get("/guilds/{guildId}/settings", GuildConfigRead, Admin, run!(guilds::settings)),
    Route::patch("/guilds/{guildId}/settings", GuildConfigWrite, Admin, run!(guilds::change_settings)),
    Route::get("/guilds/{guildId}/jobs", GuildConfigRead, Read, run!(guilds::jobs)),
    Route::get("/jobs/{jobId}", GuildConfigRead, Read, run!(jobs::show)),
    Route::delete("/jobs/{jobId}", GuildConfigWrite, Sync, run!(jobs::cancel)).changes_job(),
    Route::post("/jobs/{jobId}/retry", GuildConfigWrite, Sync, run!(jobs::run_again)).changes_job(),
];

#[cfg(test)]
mod tests;
