//! The one table of endpoints: method, path, rate limit, scope, and the module of the endpoint, with the kind of sanction
//! that it handles where it handles both.
//!
//! Reading needs the scope `read`, also by POST, and `staff` where it shows what is said about staff; roles and their bindings `sync`; settings and the list of staff `admin`.
//! Every row is served below `/api/v1` too. Health, metrics and documentation need no key and have a table of their own.

use entities::SanctionKind;
use entities::api_key::Scope;
use http::Method;

use crate::call::route::{Area, Endpoint, IMPORT_BODY_LIMIT, Route};
use crate::endpoints;
use crate::limits::rate_limit::RateLimit;

macro_rules! routes {
    ($($method:ident $path:literal $limit:ident $scope:ident $($segment:ident)::+
        $(($kind:ident))? $(.$mark:ident($($argument:expr)?))*;)*) => {
        &[$(Route::new(
            Method::$method,
            $path,
            RateLimit::$limit,
            Scope::$scope,
            Endpoint {
                handle: |call| Box::pin(endpoints::$($segment)::+::handle(call $(, SanctionKind::$kind)?)),
                operation: || endpoints::$($segment)::+::operation($(SanctionKind::$kind)?),
                #[cfg(test)]
                module: stringify!($($segment)::+),
            },
        )$(.$mark($($argument)?))*),*]
    };
}

/// In the order of the documentation.
pub(crate) static AREAS: &[Area] = &[
    Area {
        name: "Lookup",
        about: "Which accounts are linked.",
        routes: routes! {
            GET "/lookup/chat/{chatId}" LookupRead Read lookup::chat::get;
            GET "/lookup/play/{playId}" LookupRead Read lookup::play::get;
            POST "/lookup/status" LookupWrite Read lookup::status::post.reads();
            POST "/reverse" LookupWrite Read reverse::post.reads();
        },
    },
    Area {
        name: "Links",
        about: "Who is linked to which account, since when, and by whom.",
        routes: routes! {
            GET "/guilds/{guildId}/links" LinksRead Links guilds::links::get;
            GET "/guilds/{guildId}/links/{chatId}" LinksRead Links guilds::links::of_chat::get;
            POST "/guilds/{guildId}/links/import" LinksWrite Links guilds::links::import::post.takes_up_to(IMPORT_BODY_LIMIT);
            POST "/guilds/{guildId}/links/imports/{importId}/undo" LinksWrite Links guilds::links::imports::undo::post;
            PUT "/guilds/{guildId}/links/{chatId}" LinksWrite Links guilds::links::put;
            DELETE "/guilds/{guildId}/links/{chatId}" LinksWrite Links guilds::links::delete;
            POST "/guilds/{guildId}/links/{chatId}/swap" LinksWrite Links guilds::links::swap::post;
            GET "/guilds/{guildId}/link-attempts" LinksRead Links guilds::link_attempts::get;
            POST "/guilds/{guildId}/link-attempts" LinksWrite Links guilds::link_attempts::post.answers_secret();
            POST "/guilds/{guildId}/link-attempts/{attemptId}/profile"
                LinksWrite Links guilds::link_attempts::profile::post;
            POST "/guilds/{guildId}/link-attempts/{attemptId}/confirm"
                LinksWrite Links guilds::link_attempts::confirm::post;
            POST "/guilds/{guildId}/link-attempts/{attemptId}/cancel"
                LinksWrite Links guilds::link_attempts::cancel::post;
            POST "/guilds/{guildId}/link-attempts/{attemptId}/approve"
                LinksWrite Links guilds::link_attempts::approve::post;
            POST "/guilds/{guildId}/link-attempts/{attemptId}/reject"
                LinksWrite Links guilds::link_attempts::reject::post;
            POST "/links/confirm" LinkConfirm Play links::confirm::post;
        },
    },
    Area {
        name: "Bindings",
        about: "Which rank in a game group calls for which chat role.",
        routes: routes! {
            GET "/bindings/list" BindingsRead Read bindings::list::get;
            POST "/bindings/add" BindingsWrite Sync bindings::add::post;
            PATCH "/bindings/update" BindingsWrite Sync bindings::update::patch;
            DELETE "/bindings/remove/{bindingId}" BindingsWrite Sync bindings::remove::delete;
            POST "/bindings/test" BindingsWrite Read bindings::test::post.reads();
            POST "/bindings/validate" BindingsWrite Read bindings::validate::post.reads();
        },
    },
    Area {
        name: "Sync and roles",
        about: "Chat roles and nicknames from game ranks, and by hand.",
        routes: routes! {
            POST "/interactions/sync" SyncWrite Sync interactions::sync::post.runs_as_job();
            POST "/interactions/sync/all" SyncAll Sync interactions::sync::all::post.runs_as_job();
            GET "/guilds/{guildId}/follow" GuildConfigRead Sync guilds::follow::get;
            PATCH "/guilds/{guildId}/follow" GuildConfigWrite Sync guilds::follow::patch;
            GET "/guilds/{guildId}/follow/out-of-step" GuildConfigRead Sync guilds::follow::out_of_step::get;
            POST "/guilds/{guildId}/follow/resume" GuildConfigWrite Sync guilds::follow::resume::post;
            POST "/interactions/roles/assign" SyncWrite Sync interactions::roles::assign::post.runs_as_job();
            POST "/interactions/roles/remove" SyncWrite Sync interactions::roles::remove::post.runs_as_job();
        },
    },
    Area {
        name: "Guild",
        about: "Roles, members and settings.",
        routes: routes! {
            GET "/guilds/{guildId}/roles" GuildConfigRead Read guilds::roles::get;
            GET "/guilds/{guildId}/members" GuildConfigRead Read guilds::members::get;
            GET "/guilds/{guildId}/verified-users" GuildConfigRead Read guilds::verified_users::get;
            GET "/guilds/{guildId}/settings" GuildConfigRead Admin guilds::settings::get;
            PATCH "/guilds/{guildId}/settings" GuildConfigWrite Admin guilds::settings::patch;
        },
    },
    Area {
        name: "Keys",
        about: "The guild's API keys. A caller can give a key only scopes that it has itself.",
        routes: routes! {
            GET "/guilds/{guildId}/keys" GuildConfigRead Admin guilds::keys::get;
            POST "/guilds/{guildId}/keys" GuildConfigWrite Admin guilds::keys::post.answers_secret();
            POST "/guilds/{guildId}/keys/{publicId}/rotate"
                GuildConfigWrite Admin guilds::keys::rotate::post.answers_secret();
            DELETE "/guilds/{guildId}/keys/{publicId}" GuildConfigWrite Admin guilds::keys::delete;
        },
    },
    Area {
        name: "Audit log",
        about: "Every write leaves an entry; others can be added.",
        routes: routes! {
            GET "/guilds/{guildId}/audit-logs" AuditLogsRead Staff guilds::audit_logs::get;
            POST "/guilds/{guildId}/audit-logs" AuditLogsWrite Moderation guilds::audit_logs::post;
        },
    },
    Area {
        name: "Webhooks",
        about: "Sends the audit log to a URL as it grows, signed by Standard Webhooks (standardwebhooks.com): \
                its libraries verify what arrives. The body is `{\"type\", \"timestamp\", \"data\"}`: the action of an \
                audit entry, its time, and the entry. See the guide at `/docs/webhooks`.",
        routes: routes! {
            GET "/guilds/{guildId}/webhooks" GuildConfigRead Admin guilds::webhooks::get;
            POST "/guilds/{guildId}/webhooks" GuildConfigWrite Admin guilds::webhooks::post.answers_secret();
            PATCH "/guilds/{guildId}/webhooks/{webhookId}" GuildConfigWrite Admin guilds::webhooks::patch;
            DELETE "/guilds/{guildId}/webhooks/{webhookId}" GuildConfigWrite Admin guilds::webhooks::delete;
            POST "/guilds/{guildId}/webhooks/{webhookId}/rotate"
                GuildConfigWrite Admin guilds::webhooks::rotate::post.answers_secret();
            POST "/guilds/{guildId}/webhooks/{webhookId}/test" GuildConfigWrite Admin guilds::webhooks::test::post;
            GET "/guilds/{guildId}/webhooks/{webhookId}/deliveries"
                GuildConfigRead Admin guilds::webhooks::deliveries::get;
            POST "/guilds/{guildId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay"
                GuildConfigWrite Admin guilds::webhooks::deliveries::replay::post;
        },
    },
    Area {
        name: "Log channels",
        about: "Posts news of the audit log in channels of the chat platform, as sentences for people.",
        routes: routes! {
            GET "/guilds/{guildId}/log-channels" GuildConfigRead Admin guilds::log_channels::get;
            PUT "/guilds/{guildId}/log-channels/{channelId}" GuildConfigWrite Admin guilds::log_channels::put;
            DELETE "/guilds/{guildId}/log-channels/{channelId}" GuildConfigWrite Admin guilds::log_channels::delete;
        },
    },
    Area {
        name: "Moderation",
        about: "Bans and mutes. A ban of one account of a linked pair is found by both, and ends in the second \
                in which it expires.",
        routes: routes! {
            GET "/moderation/{guildId}/ban-status/{identifier}" BanStatus Read moderation::ban_status::get(Ban).serves_stale();
            GET "/moderation/{guildId}/mute-status/{identifier}" MuteStatus Read moderation::ban_status::get(Mute).serves_stale();
            GET "/moderation/{guildId}/play/bans/active" ActiveListsRead Read moderation::play::bans::active::get(Ban);
            GET "/moderation/{guildId}/play/mutes/active" ActiveListsRead Read moderation::play::bans::active::get(Mute);
            POST "/moderation/{guildId}/play/ban" ModerationWrite Moderation moderation::play::ban::post(Ban).batches();
            POST "/moderation/{guildId}/play/unban" ModerationWrite Moderation moderation::play::unban::post(Ban).batches();
            POST "/moderation/{guildId}/play/mute" ModerationWrite Moderation moderation::play::ban::post(Mute).batches();
            POST "/moderation/{guildId}/play/unmute" ModerationWrite Moderation moderation::play::unban::post(Mute).batches();
            GET "/moderation/{guildId}/bans" ModerationRead Read moderation::bans::get(Ban);
            POST "/moderation/{guildId}/bans/{banId}/mirror" ModerationWrite Admin moderation::bans::mirror::post.runs_as_job();
            POST "/moderation/{guildId}/bans/import" ModerationWrite Moderation moderation::bans::import::post.takes_up_to(IMPORT_BODY_LIMIT);
            POST "/moderation/{guildId}/bans/imports/{importId}/undo" ModerationWrite Moderation moderation::bans::imports::undo::post;
            GET "/moderation/{guildId}/mutes" ModerationRead Read moderation::bans::get(Mute);
        },
    },
    Area {
        name: "Shield",
        about: "Game users flagged for all guilds.",
        routes: routes! {
            GET "/shield/check/{playId}" ShieldCheck Read shield::check::get;
            POST "/shield/batch" ShieldBatch Read shield::batch::post.reads();
            POST "/shield/import" ShieldImport Shield shield::import::post.runs_as_job().takes_up_to(IMPORT_BODY_LIMIT);
        },
    },
    Area {
        name: "Staff",
        about: "Staff members, their permissions and their actions.",
        routes: routes! {
            GET "/staff/members/{guildId}" StaffRead Read staff::members::get;
            GET "/staff/permissions/{guildId}/{userId}" StaffRead Read staff::permissions::get;
            GET "/guilds/{guildId}/staff/profile/{userId}" StaffRead Staff guilds::staff::profile::get;
            GET "/staff/activity/{guildId}" StaffRead Staff staff::activity::get;
            GET "/staff/stats/{guildId}" StaffRead Read staff::stats::get;
            GET "/staff/leaderboard/{guildId}" StaffRead Read staff::leaderboard::get;
            GET "/staff/action-types" StaffRead Read staff::action_types::get;
            GET "/guilds/{guildId}/staff/roles" StaffRead Read guilds::staff::roles::get;
            PUT "/guilds/{guildId}/staff/roles/{roleId}" StaffWrite Admin guilds::staff::roles::put;
            DELETE "/guilds/{guildId}/staff/roles/{roleId}" StaffWrite Admin guilds::staff::roles::delete;
            PUT "/guilds/{guildId}/staff/members/{chatId}" StaffWrite Admin guilds::staff::members::put;
            DELETE "/guilds/{guildId}/staff/members/{chatId}" StaffWrite Admin guilds::staff::members::delete;
        },
    },
    Area {
        name: "Leave of absence",
        about: "When staff are away.",
        routes: routes! {
            GET "/guilds/{guildId}/staff/loa" StaffRead Staff guilds::staff::loa::get;
            POST "/guilds/{guildId}/staff/loa" StaffWrite Staff guilds::staff::loa::post;
            PATCH "/guilds/{guildId}/staff/loa/{loaId}" StaffWrite Staff guilds::staff::loa::patch;
            DELETE "/guilds/{guildId}/staff/loa/{loaId}" StaffWrite Staff guilds::staff::loa::delete;
            POST "/guilds/{guildId}/staff/loa/expire" StaffWrite Staff guilds::staff::loa::expire::post;
            GET "/guilds/{guildId}/staff/leave-requests" StaffRead Staff guilds::staff::leave_requests::get;
            POST "/guilds/{guildId}/staff/leave-requests" StaffWrite Staff guilds::staff::leave_requests::post;
            PATCH "/guilds/{guildId}/staff/leave-requests/{requestId}"
                StaffWrite Staff guilds::staff::leave_requests::patch;
            POST "/guilds/{guildId}/staff/leave-requests/{requestId}/approve"
                StaffWrite Staff guilds::staff::leave_requests::approve::post;
            POST "/guilds/{guildId}/staff/leave-requests/{requestId}/reject"
                StaffWrite Staff guilds::staff::leave_requests::reject::post;
            POST "/guilds/{guildId}/staff/leave-requests/{requestId}/withdraw"
                StaffWrite Staff guilds::staff::leave_requests::withdraw::post;
        },
    },
    Area {
        name: "Strikes",
        about: "Active until removed or expired.",
        routes: routes! {
            GET "/guilds/{guildId}/staff/strikes" StaffRead Staff guilds::staff::strikes::get;
            POST "/guilds/{guildId}/staff/strikes" StaffWrite Staff guilds::staff::strikes::post;
            PATCH "/guilds/{guildId}/staff/strikes/{strikeId}/update"
                StaffWrite Staff guilds::staff::strikes::update::patch;
            PATCH "/guilds/{guildId}/staff/strikes/{strikeId}" StaffWrite Staff guilds::staff::strikes::patch;
            DELETE "/guilds/{guildId}/staff/strikes/{strikeId}" StaffWrite Staff guilds::staff::strikes::delete;
            POST "/guilds/{guildId}/staff/strikes/expire" StaffWrite Staff guilds::staff::strikes::expire::post;
        },
    },
    Area {
        name: "Notes",
        about: "About staff members.",
        routes: routes! {
            GET "/guilds/{guildId}/staff/notes" StaffRead Staff guilds::staff::notes::get;
            POST "/guilds/{guildId}/staff/notes" StaffWrite Staff guilds::staff::notes::post;
            PATCH "/guilds/{guildId}/staff/notes/{noteId}" StaffWrite Staff guilds::staff::notes::patch;
            DELETE "/guilds/{guildId}/staff/notes/{noteId}" StaffWrite Staff guilds::staff::notes::delete;
        },
    },
    Area {
        name: "Quotas",
        about: "What staff have to reach in a period.",
        routes: routes! {
            GET "/guilds/{guildId}/staff/quota" StaffRead Read guilds::staff::quota::get;
            POST "/guilds/{guildId}/staff/quota" StaffWrite Staff guilds::staff::quota::post;
            PATCH "/guilds/{guildId}/staff/quota/{quotaId}" StaffWrite Staff guilds::staff::quota::patch;
            DELETE "/guilds/{guildId}/staff/quota/{quotaId}" StaffWrite Staff guilds::staff::quota::delete;
            GET "/guilds/{guildId}/staff/quota/{quotaId}/progress" StaffRead Read guilds::staff::quota::progress::get;
            GET "/guilds/{guildId}/staff/quota-pending" StaffRead Staff guilds::staff::quota_pending::get;
            POST "/guilds/{guildId}/staff/quota-pending/{actionId}/approve"
                StaffWrite Staff guilds::staff::quota_pending::approve::post;
            POST "/guilds/{guildId}/staff/quota-pending/{actionId}/reject"
                StaffWrite Staff guilds::staff::quota_pending::reject::post;
        },
    },
    Area {
        name: "Game activity",
        about: "What game servers ask and report about staff.",
        routes: routes! {
            POST "/staff/play/verify" StaffVerify Play staff::play::verify::post.reads();
            POST "/play/games/register" GameRegister Play play::games::register::post;
            POST "/staff/play/session/start" SessionStart Play staff::play::session::start::post;
            POST "/staff/play/session/end" SessionEnd Play staff::play::session::end::post;
            POST "/staff/play/heartbeat" StaffHeartbeat Play staff::play::heartbeat::post.in_memory();
            POST "/staff/play/action" StaffAction Play staff::play::action::post;
            GET "/guilds/{guildId}/staff/play/{playId}/permissions"
                StaffPlayPermissions Play guilds::staff::play::permissions::get;
        },
    },
    Area {
        name: "Server manager",
        about: "Commands for game servers, and the list of servers.",
        routes: routes! {
            POST "/play/servers/tick" ServerTick Play play::servers::tick::post.in_memory().serves_stale();
            POST "/play/players/check" PlayersCheck Play play::players::check::post.reads().serves_stale();
            POST "/play/servers/heartbeat" ServerHeartbeat Play play::servers::heartbeat::post.in_memory();
            GET "/play/servers/{serverId}/commands" ServerCommands Play play::servers::commands::get;
            POST "/play/servers/{serverId}/commands/{commandId}/ack"
                CommandAck Play play::servers::commands::ack::post;
            POST "/play/servers/{serverId}/commands" ModerationWrite Moderation play::servers::commands::post;
            POST "/guilds/{guildId}/servers/commands" GuildConfigWrite Moderation guilds::servers::commands::post;
            GET "/guilds/{guildId}/servers" GuildConfigRead Read guilds::servers::get;
            GET "/guilds/{guildId}/servers/{serverId}/players" GuildConfigRead Read guilds::servers::players::get;
        },
    },
    Area {
        name: "Tickets",
        about: "Applications, and a chat channel for each of them.",
        routes: routes! {
            POST "/guilds/{guildId}/application-submissions/{submissionId}/create-ticket"
                GuildConfigWrite Staff guilds::application_submissions::create_ticket::post.runs_as_job();
            GET "/guilds/{guildId}/application-panels" GuildConfigRead Read guilds::application_panels::get;
            POST "/guilds/{guildId}/application-panels" GuildConfigWrite Admin guilds::application_panels::post;
            PATCH "/guilds/{guildId}/application-panels/{panelId}"
                GuildConfigWrite Admin guilds::application_panels::patch;
            DELETE "/guilds/{guildId}/application-panels/{panelId}"
                GuildConfigWrite Admin guilds::application_panels::delete;
            POST "/guilds/{guildId}/application-panels/{panelId}/publish"
                GuildConfigWrite Admin guilds::application_panels::publish::post.runs_as_job();
            GET "/guilds/{guildId}/application-submissions"
                GuildConfigRead Staff guilds::application_submissions::get;
            POST "/guilds/{guildId}/application-submissions"
                GuildConfigWrite Admin guilds::application_submissions::post;
            POST "/guilds/{guildId}/application-submissions/{submissionId}/accept"
                GuildConfigWrite Staff guilds::application_submissions::accept::post;
            POST "/guilds/{guildId}/application-submissions/{submissionId}/refuse"
                GuildConfigWrite Staff guilds::application_submissions::refuse::post;
            GET "/guilds/{guildId}/application-submissions/{submissionId}/comments"
                GuildConfigRead Staff guilds::application_submissions::comments::get;
            POST "/guilds/{guildId}/application-submissions/{submissionId}/comments"
                GuildConfigWrite Staff guilds::application_submissions::comments::post;
        },
    },
    Area {
        name: "Live channel",
        about: "For game servers that may open sockets.",
        routes: routes! {
            GET "/ws/guilds/{guildId}/play" LiveConnect Play ws::guilds::play::get;
        },
    },
    Area {
        name: "Jobs",
        about: "Work that runs in the background.",
        routes: routes! {
            GET "/guilds/{guildId}/jobs" GuildConfigRead Read guilds::jobs::get;
            GET "/jobs/{jobId}" GuildConfigRead Read jobs::get;
            DELETE "/jobs/{jobId}" GuildConfigWrite Sync jobs::delete.changes_job();
            POST "/jobs/{jobId}/retry" GuildConfigWrite Sync jobs::retry::post.changes_job();
            POST "/jobs/{jobId}/undo" GuildConfigWrite Sync jobs::undo::post.changes_job();
        },
    },
];

#[cfg(test)]
mod tests;
