//! The one table of endpoints: path, rate limit, scope, endpoint.
//!
//! Reading needs the scope `read`, also by POST; roles and their bindings `sync`; settings and who is staff `admin`.
//! Every row is served below `/api/v1` too. Health, metrics and documentation need no key and have tables of their own.

use entities::api_key::Scope::{Admin, Moderation, Play, Read, Shield, Staff, Sync};

use crate::endpoints;
use crate::rate_limit::RateLimit::{
    AuditLogsRead, AuditLogsWrite, BanStatus, BindingsRead, BindingsWrite, CommandAck, GameRegister,
    GuildConfigRead, GuildConfigWrite, LiveConnect, LookupRead, LookupWrite, ModerationRead, ModerationWrite,
    MuteStatus, ServerCommands, ServerHeartbeat, SessionEnd, SessionStart, ShieldBatch, ShieldCheck,
    ShieldImport, StaffAction, StaffHeartbeat, StaffPlayPermissions, StaffRead, StaffVerify, StaffWrite,
    SyncAll, SyncWrite,
};
use crate::route::{Area, Endpoint, IMPORT_BODY_LIMIT, Route};

/// The endpoint of a module: `endpoint!(lookup::chat::get)`.
macro_rules! endpoint {
    ($($segment:ident)::+) => {
        Endpoint {
            handle: |call| Box::pin(endpoints::$($segment)::+::handle(call)),
            operation: endpoints::$($segment)::+::operation,
            #[cfg(test)]
            module: stringify!($($segment)::+),
        }
    };
}

/// In the order of the documentation.
pub(crate) static AREAS: &[Area] = &[
    Area {
        name: "Lookup",
        about: "Who is linked with whom.",
        routes: &[
            Route::get("/lookup/chat/{chatId}", LookupRead, Read, endpoint!(lookup::chat::get)),
            Route::get("/lookup/play/{playId}", LookupRead, Read, endpoint!(lookup::play::get)),
            Route::post("/lookup/status", LookupWrite, Read, endpoint!(lookup::status::post)).reads(),
            Route::post("/reverse", LookupWrite, Read, endpoint!(reverse::post)).reads(),
        ],
    },
    Area {
        name: "Bindings",
        about: "Which rank in a game group calls for which chat role.",
        routes: &[
            Route::get("/bindings/list", BindingsRead, Read, endpoint!(bindings::list::get)),
            Route::post("/bindings/add", BindingsWrite, Sync, endpoint!(bindings::add::post)),
            Route::patch("/bindings/update", BindingsWrite, Sync, endpoint!(bindings::update::patch)),
            Route::delete(
                "/bindings/remove/{bindingId}",
                BindingsWrite,
                Sync,
                endpoint!(bindings::remove::delete),
            ),
            Route::post("/bindings/test", BindingsWrite, Read, endpoint!(bindings::test::post)).reads(),
            Route::post("/bindings/validate", BindingsWrite, Read, endpoint!(bindings::validate::post))
                .reads(),
        ],
    },
    Area {
        name: "Sync and roles",
        about: "Chat roles and nicknames after game ranks, and by hand.",
        routes: &[
            Route::post("/interactions/sync", SyncWrite, Sync, endpoint!(interactions::sync::post))
                .enqueues(),
            Route::post("/interactions/sync/all", SyncAll, Sync, endpoint!(interactions::sync::all::post))
                .enqueues(),
            Route::post(
                "/interactions/roles/assign",
                SyncWrite,
                Sync,
                endpoint!(interactions::roles::assign::post),
            )
            .enqueues(),
            Route::post(
                "/interactions/roles/remove",
                SyncWrite,
                Sync,
                endpoint!(interactions::roles::remove::post),
            )
            .enqueues(),
        ],
    },
    Area {
        name: "Guild",
        about: "Roles, members and settings.",
        routes: &[
            Route::get("/guilds/{guildId}/roles", GuildConfigRead, Read, endpoint!(guilds::roles::get)),
            Route::get("/guilds/{guildId}/members", GuildConfigRead, Read, endpoint!(guilds::members::get)),
            Route::get(
                "/guilds/{guildId}/verified-users",
                GuildConfigRead,
                Read,
                endpoint!(guilds::verified_users::get),
            ),
            Route::get(
                "/guilds/{guildId}/settings",
                GuildConfigRead,
                Admin,
                endpoint!(guilds::settings::get),
            ),
            Route::patch(
                "/guilds/{guildId}/settings",
                GuildConfigWrite,
                Admin,
                endpoint!(guilds::settings::patch),
            ),
        ],
    },
    Area {
        name: "Audit log",
        about: "Every write leaves an entry; others can be added.",
        routes: &[
            Route::get(
                "/guilds/{guildId}/audit-logs",
                AuditLogsRead,
                Read,
                endpoint!(guilds::audit_logs::get),
            ),
            Route::post(
                "/guilds/{guildId}/audit-logs",
                AuditLogsWrite,
                Moderation,
                endpoint!(guilds::audit_logs::post),
            ),
        ],
    },
    Area {
        name: "Moderation",
        about: "Bans and mutes. A ban of either account of a linked pair is found by both, and is over from the very \
                second it expires.",
        routes: &[
            Route::get(
                "/moderation/{guildId}/ban-status/{identifier}",
                BanStatus,
                Read,
                endpoint!(moderation::ban_status::get),
            ),
            Route::get(
                "/moderation/{guildId}/mute-status/{identifier}",
                MuteStatus,
                Read,
                endpoint!(moderation::mute_status::get),
            ),
            Route::get(
                "/moderation/{guildId}/play/bans/active",
                ModerationRead,
                Read,
                endpoint!(moderation::play::bans::active::get),
            ),
            Route::get(
                "/moderation/{guildId}/play/mutes/active",
                ModerationRead,
                Read,
                endpoint!(moderation::play::mutes::active::get),
            ),
            Route::post(
                "/moderation/{guildId}/play/ban",
                ModerationWrite,
                Moderation,
                endpoint!(moderation::play::ban::post),
            ),
            Route::post(
                "/moderation/{guildId}/play/unban",
                ModerationWrite,
                Moderation,
                endpoint!(moderation::play::unban::post),
            ),
            Route::post(
                "/moderation/{guildId}/play/mute",
                ModerationWrite,
                Moderation,
                endpoint!(moderation::play::mute::post),
            ),
            Route::post(
                "/moderation/{guildId}/play/unmute",
                ModerationWrite,
                Moderation,
                endpoint!(moderation::play::unmute::post),
            ),
            Route::get("/moderation/{guildId}/bans", ModerationRead, Read, endpoint!(moderation::bans::get)),
        ],
    },
    Area {
        name: "Shield",
        about: "Game users flagged for all guilds.",
        routes: &[
            Route::get("/shield/check/{playId}", ShieldCheck, Read, endpoint!(shield::check::get)),
            Route::post("/shield/batch", ShieldBatch, Read, endpoint!(shield::batch::post)).reads(),
            Route::post("/shield/import", ShieldImport, Shield, endpoint!(shield::import::post))
                .enqueues()
                .takes_up_to(IMPORT_BODY_LIMIT),
        ],
    },
    Area {
        name: "Staff",
        about: "Who is staff, what they may and what they did.",
        routes: &[
            Route::get("/staff/members/{guildId}", StaffRead, Read, endpoint!(staff::members::get)),
            Route::get(
                "/staff/permissions/{guildId}/{userId}",
                StaffRead,
                Read,
                endpoint!(staff::permissions::get),
            ),
            Route::get(
                "/guilds/{guildId}/staff/profile/{userId}",
                StaffRead,
                Read,
                endpoint!(guilds::staff::profile::get),
            ),
            Route::get("/staff/activity/{guildId}", StaffRead, Read, endpoint!(staff::activity::get)),
            Route::get("/staff/stats/{guildId}", StaffRead, Read, endpoint!(staff::stats::get)),
            Route::get("/staff/leaderboard/{guildId}", StaffRead, Read, endpoint!(staff::leaderboard::get)),
            Route::get("/staff/action-types", StaffRead, Read, endpoint!(staff::action_types::get)),
            Route::put(
                "/guilds/{guildId}/staff/roles/{roleId}",
                StaffWrite,
                Admin,
                endpoint!(guilds::staff::roles::put),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/roles/{roleId}",
                StaffWrite,
                Admin,
                endpoint!(guilds::staff::roles::delete),
            ),
            Route::put(
                "/guilds/{guildId}/staff/members/{chatId}",
                StaffWrite,
                Admin,
                endpoint!(guilds::staff::members::put),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/members/{chatId}",
                StaffWrite,
                Admin,
                endpoint!(guilds::staff::members::delete),
            ),
        ],
    },
    Area {
        name: "Leave of absence",
        about: "When staff are away.",
        routes: &[
            Route::get("/guilds/{guildId}/staff/loa", StaffRead, Read, endpoint!(guilds::staff::loa::get)),
            Route::post(
                "/guilds/{guildId}/staff/loa",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::loa::post),
            ),
            Route::patch(
                "/guilds/{guildId}/staff/loa/{loaId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::loa::patch),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/loa/{loaId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::loa::delete),
            ),
            Route::post(
                "/guilds/{guildId}/staff/loa/expire",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::loa::expire::post),
            ),
        ],
    },
    Area {
        name: "Strikes",
        about: "Active until removed or expired.",
        routes: &[
            Route::get(
                "/guilds/{guildId}/staff/strikes",
                StaffRead,
                Read,
                endpoint!(guilds::staff::strikes::get),
            ),
            Route::post(
                "/guilds/{guildId}/staff/strikes",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::strikes::post),
            ),
            Route::patch(
                "/guilds/{guildId}/staff/strikes/{strikeId}/update",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::strikes::update::patch),
            ),
            Route::patch(
                "/guilds/{guildId}/staff/strikes/{strikeId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::strikes::patch),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/strikes/{strikeId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::strikes::delete),
            ),
            Route::post(
                "/guilds/{guildId}/staff/strikes/expire",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::strikes::expire::post),
            ),
        ],
    },
    Area {
        name: "Notes",
        about: "About staff members.",
        routes: &[
            Route::get(
                "/guilds/{guildId}/staff/notes",
                StaffRead,
                Read,
                endpoint!(guilds::staff::notes::get),
            ),
            Route::post(
                "/guilds/{guildId}/staff/notes",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::notes::post),
            ),
            Route::patch(
                "/guilds/{guildId}/staff/notes/{noteId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::notes::patch),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/notes/{noteId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::notes::delete),
            ),
        ],
    },
    Area {
        name: "Quotas",
        about: "What staff are to reach in a period.",
        routes: &[
            Route::get(
                "/guilds/{guildId}/staff/quota",
                StaffRead,
                Read,
                endpoint!(guilds::staff::quota::get),
            ),
            Route::post(
                "/guilds/{guildId}/staff/quota",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::quota::post),
            ),
            Route::patch(
                "/guilds/{guildId}/staff/quota/{quotaId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::quota::patch),
            ),
            Route::delete(
                "/guilds/{guildId}/staff/quota/{quotaId}",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::quota::delete),
            ),
            Route::get(
                "/guilds/{guildId}/staff/quota/{quotaId}/progress",
                StaffRead,
                Read,
                endpoint!(guilds::staff::quota::progress::get),
            ),
            Route::get(
                "/guilds/{guildId}/staff/quota-pending",
                StaffRead,
                Read,
                endpoint!(guilds::staff::quota_pending::get),
            ),
            Route::post(
                "/guilds/{guildId}/staff/quota-pending/{actionId}/approve",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::quota_pending::approve::post),
            ),
            Route::post(
                "/guilds/{guildId}/staff/quota-pending/{actionId}/reject",
                StaffWrite,
                Staff,
                endpoint!(guilds::staff::quota_pending::reject::post),
            ),
        ],
    },
    Area {
        name: "Game activity",
        about: "What game servers ask and tell about staff.",
        routes: &[
            Route::post("/staff/play/verify", StaffVerify, Play, endpoint!(staff::play::verify::post))
                .reads(),
            Route::post("/play/games/register", GameRegister, Play, endpoint!(play::games::register::post)),
            Route::post(
                "/staff/play/session/start",
                SessionStart,
                Play,
                endpoint!(staff::play::session::start::post),
            ),
            Route::post(
                "/staff/play/session/end",
                SessionEnd,
                Play,
                endpoint!(staff::play::session::end::post),
            ),
            Route::post(
                "/staff/play/heartbeat",
                StaffHeartbeat,
                Play,
                endpoint!(staff::play::heartbeat::post),
            ),
            Route::post("/staff/play/action", StaffAction, Play, endpoint!(staff::play::action::post)),
            Route::get(
                "/guilds/{guildId}/staff/play/{playId}/permissions",
                StaffPlayPermissions,
                Play,
                endpoint!(guilds::staff::play::permissions::get),
            ),
        ],
    },
    Area {
        name: "Server manager",
        about: "Commands for game servers, and which there are.",
        routes: &[
            Route::post(
                "/play/servers/heartbeat",
                ServerHeartbeat,
                Play,
                endpoint!(play::servers::heartbeat::post),
            ),
            Route::get(
                "/play/servers/{serverId}/commands",
                ServerCommands,
                Play,
                endpoint!(play::servers::commands::get),
            ),
            Route::post(
                "/play/servers/{serverId}/commands/{commandId}/ack",
                CommandAck,
                Play,
                endpoint!(play::servers::commands::ack::post),
            ),
            Route::post(
                "/play/servers/{serverId}/commands",
                ModerationWrite,
                Moderation,
                endpoint!(play::servers::commands::post),
            ),
            Route::post(
                "/guilds/{guildId}/servers/commands",
                GuildConfigWrite,
                Moderation,
                endpoint!(guilds::servers::commands::post),
            ),
            Route::get("/guilds/{guildId}/servers", GuildConfigRead, Read, endpoint!(guilds::servers::get)),
        ],
    },
    Area {
        name: "Tickets",
        about: "Applications, and a chat channel for each of them.",
        routes: &[
            Route::post(
                "/guilds/{guildId}/application-submissions/{submissionId}/create-ticket",
                GuildConfigWrite,
                Staff,
                endpoint!(guilds::application_submissions::create_ticket::post),
            )
            .enqueues(),
            Route::get(
                "/guilds/{guildId}/application-panels",
                GuildConfigRead,
                Read,
                endpoint!(guilds::application_panels::get),
            ),
            Route::post(
                "/guilds/{guildId}/application-panels",
                GuildConfigWrite,
                Admin,
                endpoint!(guilds::application_panels::post),
            ),
            Route::get(
                "/guilds/{guildId}/application-submissions",
                GuildConfigRead,
                Staff,
                endpoint!(guilds::application_submissions::get),
            ),
            Route::post(
                "/guilds/{guildId}/application-submissions",
                GuildConfigWrite,
                Admin,
                endpoint!(guilds::application_submissions::post),
            ),
        ],
    },
    Area {
        name: "Live channel",
        about: "For game servers that may open sockets.",
        routes: &[Route::get(
            "/ws/guilds/{guildId}/play",
            LiveConnect,
            Play,
            endpoint!(ws::guilds::play::get),
        )],
    },
    Area {
        name: "Jobs",
        about: "Work that goes on by itself.",
        routes: &[
            Route::get("/guilds/{guildId}/jobs", GuildConfigRead, Read, endpoint!(guilds::jobs::get)),
            Route::get("/jobs/{jobId}", GuildConfigRead, Read, endpoint!(jobs::get)),
            Route::delete("/jobs/{jobId}", GuildConfigWrite, Sync, endpoint!(jobs::delete)).changes_job(),
            Route::post("/jobs/{jobId}/retry", GuildConfigWrite, Sync, endpoint!(jobs::retry::post))
                .changes_job(),
        ],
    },
];

#[cfg(test)]
mod tests;
