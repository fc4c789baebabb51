//! The one table of endpoints. It reads like sections 4 and 8 of the interface: path, quota, scope, handler.
//!
//! Reading needs the scope `read`, also by POST; roles and their bindings `sync`; settings `admin`. Every row is
//! served below `/api/v1` too. `/health/live`, `/health/ready` and `/metrics` need no key and stand in `http::ops`.

use entities::api_key::Scope::{Admin, Moderation, Read, Sync};

use crate::bucket::Bucket::{
    AuditLogsRead, AuditLogsWrite, BindingsRead, BindingsWrite, GuildConfigRead, GuildConfigWrite,
    LookupRead, LookupWrite, SyncAll, SyncWrite,
};
use crate::route::Route;
use crate::{bindings, guilds, interactions, jobs, lookup, reverse};

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
    // Beyond the interface: settings and jobs (decisions 5 and 8)
    Route::get("/guilds/{guildId}/settings", GuildConfigRead, Admin, run!(guilds::settings)),
    Route::patch("/guilds/{guildId}/settings", GuildConfigWrite, Admin, run!(guilds::change_settings)),
    Route::get("/guilds/{guildId}/jobs", GuildConfigRead, Read, run!(guilds::jobs)),
    Route::get("/jobs/{jobId}", GuildConfigRead, Read, run!(jobs::show)),
    Route::delete("/jobs/{jobId}", GuildConfigWrite, Sync, run!(jobs::cancel)),
];

#[cfg(test)]
mod tests;
