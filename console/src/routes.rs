//! The one table of pages: method, path, who may see it, and the page.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use http::Method;
use matchit::Router;
use people::Needs;

use crate::pages;
use crate::response::{PageError, Response};
use crate::visit::{Guest, GuildVisit, Params, Visit};

pub(crate) type Future = BoxFuture<'static, Result<Response, PageError>>;

pub(crate) enum Page {
    /// For everyone.
    Open(fn(Guest) -> Future),
    /// For signed-in people.
    Own(fn(Visit) -> Future),
    /// For operators of the instance.
    Operator(fn(Visit) -> Future),
    /// For people of a guild with these rights.
    Guild(Needs, fn(GuildVisit) -> Future),
}

pub(crate) struct Row {
    pub(crate) method: Method,
    path: &'static str,
    pub(crate) page: Page,
    /// Bytes of a form that it takes; `None`: that of its kind.
    pub(crate) takes: Option<usize>,
}

/// A file of 10,000 Shield flags.
const FILE: usize = 4 * 1024 * 1024;

/// The longest answers to all questions of a panel, percent-encoded.
const ANSWERS: usize = 128 * 1024;

macro_rules! rows {
    (@takes) => { None };
    (@takes $takes:ident) => { Some($takes) };
    ($($method:ident $path:literal $who:ident $(($($needs:tt)+))? $($segment:ident)::+ $(, takes $takes:ident)?;)*) => {
        &[$(Row {
            method: Method::$method,
            path: $path,
            page: Page::$who($(Needs::$($needs)+,)? |visit| Box::pin(pages::$($segment)::+(visit))),
            takes: rows!(@takes $($takes)?),
        }),*]
    };
}

/// Below a guild every path begins with `/console/guilds/{guild}`. A change needs what its call of the API needs.
static ROWS: &[Row] = rows! {
    GET "/console" Own home::get;
    GET "/console/sign-in" Open sign_in::get;
    GET "/console/sign-in/start" Open sign_in::start;
    GET "/console/sign-in/callback" Open sign_in::callback;
    POST "/console/sign-out" Own sign_in::out;
    POST "/console/theme" Own theme::post;
    GET "/console/link/{secret}" Open link::get;
    POST "/console/link/{secret}" Open link::post;
    GET "/link" Own linking::mine::get;
    GET "/link/forget" Own linking::mine::of_form;
    POST "/link/forget" Own linking::mine::forget;
    GET "/link/{guild}" Own linking::guild::get;
    GET "/link/{guild}/begin" Own linking::guild::of_form;
    POST "/link/{guild}/begin" Own linking::guild::begin;
    GET "/link/{guild}/picture/{of}" Own linking::picture::get;
    GET "/link/{guild}/discord" Own linking::prove::discord;
    GET "/link/{guild}/roblox" Own linking::prove::roblox;
    GET "/link/callback/discord" Own linking::prove::discord_callback;
    GET "/link/callback/roblox" Own linking::prove::roblox_callback;
    GET "/link/{guild}/profile" Own linking::guild::of_form;
    POST "/link/{guild}/profile" Own linking::guild::profile;
    GET "/link/{guild}/confirm" Own linking::guild::of_form;
    POST "/link/{guild}/confirm" Own linking::guild::confirm;
    GET "/link/{guild}/cancel" Own linking::guild::of_form;
    POST "/link/{guild}/cancel" Own linking::guild::cancel;
    GET "/link/{guild}/sync" Own linking::guild::of_form;
    POST "/link/{guild}/sync" Own linking::guild::sync;
    GET "/link/{guild}/unlink" Own linking::guild::of_form;
    POST "/link/{guild}/unlink" Own linking::guild::unlink;
    GET "/apply/{guild}" Own applying::guild::get;
    GET "/apply/{guild}/{panel}" Own applying::panel::get;
    POST "/apply/{guild}/{panel}" Own applying::panel::post, takes ANSWERS;
    GET "/console/sessions" Own sessions::get;
    POST "/console/sessions/{session}/end" Own sessions::end;

    GET "/console/instance" Operator instance::overview::get;
    GET "/console/instance/queues" Operator instance::queues::get;
    GET "/console/instance/jobs" Operator instance::jobs::get;
    GET "/console/instance/jobs/retry" Operator instance::jobs::retry::ask;
    POST "/console/instance/jobs/retry" Operator instance::jobs::retry::post;
    GET "/console/instance/jobs/{job}" Operator instance::jobs::job::get;
    POST "/console/instance/jobs/{job}/retry" Operator instance::jobs::job::retry;
    POST "/console/instance/jobs/{job}/cancel" Operator instance::jobs::job::cancel;
    GET "/console/instance/pauses" Operator instance::pauses::get;
    POST "/console/instance/pauses" Operator instance::pauses::pause;
    POST "/console/instance/pauses/resume" Operator instance::pauses::resume;
    GET "/console/instance/schedules" Operator instance::schedules::get;
    POST "/console/instance/schedules/{schedule}/run" Operator instance::schedules::run;
    POST "/console/instance/schedules/{schedule}/pause" Operator instance::schedules::pause;
    POST "/console/instance/schedules/{schedule}/resume" Operator instance::schedules::resume;
    GET "/console/instance/platforms" Operator instance::platforms::get;
    GET "/console/instance/limits" Operator instance::limits::get;
    GET "/console/instance/guilds" Operator instance::guilds::get;

    GET "/console/guilds/{guild}" Guild(Staff) guilds::overview::get;
    GET "/console/guilds/{guild}/first-run" Guild(Admin) guilds::first_run::get;
    GET "/console/guilds/{guild}/find" Guild(Staff) guilds::find::get;
    GET "/console/guilds/{guild}/suggest" Guild(Staff) guilds::suggest::get;
    GET "/console/guilds/{guild}/members" Guild(Permission("lookup.read")) guilds::members::get;
    GET "/console/guilds/{guild}/members/attempts" Guild(Permission("links.write")) guilds::members::attempts::get;
    POST "/console/guilds/{guild}/members/attempts/{attempt}/approve" Guild(of("POST /guilds/{guildId}/link-attempts/{attemptId}/approve")) guilds::members::attempts::approve;
    POST "/console/guilds/{guild}/members/attempts/{attempt}/reject" Guild(of("POST /guilds/{guildId}/link-attempts/{attemptId}/reject")) guilds::members::attempts::reject;
    GET "/console/guilds/{guild}/members/import" Guild(Permission("links.write")) guilds::imports::links::get;
    POST "/console/guilds/{guild}/members/import" Guild(of("POST /guilds/{guildId}/links/import")) guilds::imports::links::post, takes FILE;
    GET "/console/guilds/{guild}/members/link" Guild(Permission("links.write")) guilds::members::link_up::get;
    POST "/console/guilds/{guild}/members/link" Guild(of("PUT /guilds/{guildId}/links/{chatId}")) guilds::members::link_up::post;
    POST "/console/guilds/{guild}/members/link/swap" Guild(of("POST /guilds/{guildId}/links/{chatId}/swap")) guilds::members::link_up::swap;
    GET "/console/guilds/{guild}/members/{member}" Guild(Permission("lookup.read")) guilds::members::member::get;
    POST "/console/guilds/{guild}/members/{member}/sync" Guild(Permission("sync.write")) guilds::members::act::sync;
    POST "/console/guilds/{guild}/members/{member}/unlink" Guild(Permission("links.write")) guilds::members::link_up::unlink;
    POST "/console/guilds/{guild}/members/{member}/roles/give" Guild(of("POST /interactions/roles/assign")) guilds::members::act::give;
    POST "/console/guilds/{guild}/members/{member}/roles/remove" Guild(of("POST /interactions/roles/remove")) guilds::members::act::remove;
    GET "/console/guilds/{guild}/imports/made/{kind}" Guild(Staff) guilds::imports::get;
    POST "/console/guilds/{guild}/imports/links/{import}/undo" Guild(of("POST /guilds/{guildId}/links/imports/{importId}/undo")) guilds::imports::undo_links;
    POST "/console/guilds/{guild}/imports/bans/{import}/undo" Guild(of("POST /moderation/{guildId}/bans/imports/{importId}/undo")) guilds::imports::undo_bans;
    GET "/console/guilds/{guild}/imports/bans" Guild(Permission("moderation.write")) guilds::imports::bans::get;
    POST "/console/guilds/{guild}/imports/bans" Guild(of("POST /moderation/{guildId}/bans/import")) guilds::imports::bans::post, takes FILE;
    GET "/console/guilds/{guild}/moderation" Guild(Permission("moderation.read")) guilds::moderation::bans;
    GET "/console/guilds/{guild}/moderation/{kind}" Guild(Permission("moderation.read")) guilds::moderation::get;
    GET "/console/guilds/{guild}/moderation/{kind}/new" Guild(Permission("moderation.write")) guilds::moderation::add::get;
    POST "/console/guilds/{guild}/moderation/{kind}/new" Guild(of("POST /moderation/{guildId}/play/ban")) guilds::moderation::add::post;
    POST "/console/guilds/{guild}/moderation/{kind}/again" Guild(of("POST /moderation/{guildId}/play/ban")) guilds::moderation::again::post;
    GET "/console/guilds/{guild}/moderation/{kind}/{id}" Guild(Permission("moderation.read")) guilds::moderation::sanction::get;
    POST "/console/guilds/{guild}/moderation/{kind}/{id}/lift" Guild(of("POST /moderation/{guildId}/play/unban")) guilds::moderation::lift::post;
    POST "/console/guilds/{guild}/moderation/{kind}/{id}/prolong" Guild(of("POST /moderation/{guildId}/play/ban")) guilds::moderation::prolong::post;
    POST "/console/guilds/{guild}/moderation/{kind}/{id}/mirror" Guild(of("POST /moderation/{guildId}/bans/{banId}/mirror")) guilds::moderation::sanction::allow_mirror;
    GET "/console/guilds/{guild}/shield" Guild(Permission("shield.read")) guilds::shield::get;
    POST "/console/guilds/{guild}/shield/flag" Guild(of("POST /shield/import")) guilds::shield::flag::one;
    POST "/console/guilds/{guild}/shield/import" Guild(of("POST /shield/import")) guilds::shield::flag::many, takes FILE;
    GET "/console/guilds/{guild}/bindings" Guild(Permission("bindings.read")) guilds::bindings::get;
    POST "/console/guilds/{guild}/bindings" Guild(of("POST /bindings/add")) guilds::bindings::add;
    GET "/console/guilds/{guild}/bindings/{binding}" Guild(Permission("bindings.write")) guilds::bindings::binding::get;
    POST "/console/guilds/{guild}/bindings/{binding}" Guild(of("PATCH /bindings/update")) guilds::bindings::binding::update;
    POST "/console/guilds/{guild}/bindings/{binding}/remove" Guild(of("DELETE /bindings/remove/{bindingId}")) guilds::bindings::remove;
    GET "/console/guilds/{guild}/staff" Guild(Staff) guilds::staff::members::get;
    POST "/console/guilds/{guild}/staff" Guild(of("PUT /guilds/{guildId}/staff/members/{chatId}")) guilds::staff::members::put;
    GET "/console/guilds/{guild}/staff/{chat}" Guild(Staff) guilds::staff::member::get;
    POST "/console/guilds/{guild}/staff/{chat}/remove" Guild(of("DELETE /guilds/{guildId}/staff/members/{chatId}")) guilds::staff::members::remove;
    POST "/console/guilds/{guild}/staff/roles" Guild(of("PUT /guilds/{guildId}/staff/roles/{roleId}")) guilds::staff::roles::put;
    GET "/console/guilds/{guild}/staff/roles/new" Guild(Admin) guilds::staff::roles::new;
    GET "/console/guilds/{guild}/staff/roles/{role}" Guild(Admin) guilds::staff::roles::get;
    POST "/console/guilds/{guild}/staff/roles/{role}/remove" Guild(of("DELETE /guilds/{guildId}/staff/roles/{roleId}")) guilds::staff::roles::remove;
    GET "/console/guilds/{guild}/staff/leave" Guild(Staff) guilds::staff::leave::get;
    POST "/console/guilds/{guild}/staff/leave" Guild(of("POST /guilds/{guildId}/staff/loa")) guilds::staff::leave::add;
    POST "/console/guilds/{guild}/staff/leave/request" Guild(of("POST /guilds/{guildId}/staff/leave-requests")) guilds::staff::leave::request_own;
    GET "/console/guilds/{guild}/staff/leave/requests" Guild(Staff) guilds::staff::leave::requests::get;
    GET "/console/guilds/{guild}/staff/leave/requests/{request}" Guild(Staff) guilds::staff::leave::request::get;
    POST "/console/guilds/{guild}/staff/leave/requests/{request}" Guild(of("PATCH /guilds/{guildId}/staff/leave-requests/{requestId}")) guilds::staff::leave::request::update;
    POST "/console/guilds/{guild}/staff/leave/requests/{request}/approve" Guild(of("POST /guilds/{guildId}/staff/leave-requests/{requestId}/approve")) guilds::staff::leave::request::approve;
    POST "/console/guilds/{guild}/staff/leave/requests/{request}/reject" Guild(of("POST /guilds/{guildId}/staff/leave-requests/{requestId}/reject")) guilds::staff::leave::request::reject;
    POST "/console/guilds/{guild}/staff/leave/requests/{request}/withdraw" Guild(of("POST /guilds/{guildId}/staff/leave-requests/{requestId}/withdraw")) guilds::staff::leave::request::withdraw;
    GET "/console/guilds/{guild}/staff/leave/{leave}" Guild(Permission("staff.write")) guilds::staff::leave::absence::get;
    POST "/console/guilds/{guild}/staff/leave/{leave}" Guild(of("PATCH /guilds/{guildId}/staff/loa/{loaId}")) guilds::staff::leave::absence::update;
    POST "/console/guilds/{guild}/staff/leave/{leave}/end" Guild(of("PATCH /guilds/{guildId}/staff/loa/{loaId}")) guilds::staff::leave::absence::end;
    POST "/console/guilds/{guild}/staff/leave/{leave}/resume" Guild(of("PATCH /guilds/{guildId}/staff/loa/{loaId}")) guilds::staff::leave::absence::resume;
    POST "/console/guilds/{guild}/staff/leave/{leave}/remove" Guild(of("DELETE /guilds/{guildId}/staff/loa/{loaId}")) guilds::staff::leave::absence::remove;
    GET "/console/guilds/{guild}/staff/strikes" Guild(Staff) guilds::staff::strikes::get;
    POST "/console/guilds/{guild}/staff/strikes" Guild(of("POST /guilds/{guildId}/staff/strikes")) guilds::staff::strikes::add;
    GET "/console/guilds/{guild}/staff/strikes/{strike}" Guild(Staff) guilds::staff::strikes::one;
    POST "/console/guilds/{guild}/staff/strikes/{strike}" Guild(of("PATCH /guilds/{guildId}/staff/strikes/{strikeId}/update")) guilds::staff::strikes::update;
    POST "/console/guilds/{guild}/staff/strikes/{strike}/remove" Guild(of("PATCH /guilds/{guildId}/staff/strikes/{strikeId}")) guilds::staff::strikes::remove;
    GET "/console/guilds/{guild}/icon" Guild(Staff) guilds::pictures::icon;
    GET "/console/guilds/{guild}/pictures/{player}" Guild(Staff) guilds::pictures::get;
    GET "/console/guilds/{guild}/staff/notes" Guild(Permission("staff.read")) guilds::staff::notes::get;
    POST "/console/guilds/{guild}/staff/notes" Guild(of("POST /guilds/{guildId}/staff/notes")) guilds::staff::notes::add;
    POST "/console/guilds/{guild}/staff/notes/{note}" Guild(of("PATCH /guilds/{guildId}/staff/notes/{noteId}")) guilds::staff::notes::update;
    POST "/console/guilds/{guild}/staff/notes/{note}/remove" Guild(of("DELETE /guilds/{guildId}/staff/notes/{noteId}")) guilds::staff::notes::remove;
    GET "/console/guilds/{guild}/staff/quotas" Guild(Staff) guilds::staff::quotas::get;
    POST "/console/guilds/{guild}/staff/quotas" Guild(of("POST /guilds/{guildId}/staff/quota")) guilds::staff::quotas::add;
    GET "/console/guilds/{guild}/staff/quotas/{quota}/members" Guild(Staff) guilds::staff::quotas::members;
    GET "/console/guilds/{guild}/staff/quotas/{quota}" Guild(Permission("staff.write")) guilds::staff::quotas::one;
    POST "/console/guilds/{guild}/staff/quotas/{quota}" Guild(of("PATCH /guilds/{guildId}/staff/quota/{quotaId}")) guilds::staff::quotas::update;
    POST "/console/guilds/{guild}/staff/quotas/{quota}/remove" Guild(of("DELETE /guilds/{guildId}/staff/quota/{quotaId}")) guilds::staff::quotas::remove;
    GET "/console/guilds/{guild}/staff/pending" Guild(Permission("staff.read")) guilds::staff::pending::get;
    POST "/console/guilds/{guild}/staff/pending/{action}/approve" Guild(of("POST /guilds/{guildId}/staff/quota-pending/{actionId}/approve")) guilds::staff::pending::approve;
    POST "/console/guilds/{guild}/staff/pending/{action}/reject" Guild(of("POST /guilds/{guildId}/staff/quota-pending/{actionId}/reject")) guilds::staff::pending::reject;
    GET "/console/guilds/{guild}/staff/leaderboard" Guild(Staff) guilds::staff::leaderboard::get;
    GET "/console/guilds/{guild}/staff/activity" Guild(Permission("staff.read")) guilds::staff::activity::get;
    GET "/console/guilds/{guild}/applications" Guild(Permission("tickets.write")) guilds::applications::get;
    POST "/console/guilds/{guild}/applications/panels" Guild(of("POST /guilds/{guildId}/application-panels")) guilds::applications::panel::add;
    GET "/console/guilds/{guild}/applications/panels/new" Guild(Admin) guilds::applications::panel::new;
    GET "/console/guilds/{guild}/applications/panels/{panel}" Guild(Admin) guilds::applications::panel::get;
    POST "/console/guilds/{guild}/applications/panels/{panel}" Guild(of("PATCH /guilds/{guildId}/application-panels/{panelId}")) guilds::applications::panel::update;
    POST "/console/guilds/{guild}/applications/panels/{panel}/remove" Guild(of("DELETE /guilds/{guildId}/application-panels/{panelId}")) guilds::applications::panel::remove;
    POST "/console/guilds/{guild}/applications/panels/{panel}/publish" Guild(of("POST /guilds/{guildId}/application-panels/{panelId}/publish")) guilds::applications::panel::publish;
    GET "/console/guilds/{guild}/applications/{submission}" Guild(Permission("tickets.write")) guilds::applications::submission::get;
    POST "/console/guilds/{guild}/applications/{submission}/ticket" Guild(of("POST /guilds/{guildId}/application-submissions/{submissionId}/create-ticket")) guilds::applications::submission::open_ticket;
    POST "/console/guilds/{guild}/applications/{submission}/accept" Guild(of("POST /guilds/{guildId}/application-submissions/{submissionId}/accept")) guilds::applications::submission::accept;
    POST "/console/guilds/{guild}/applications/{submission}/refuse" Guild(of("POST /guilds/{guildId}/application-submissions/{submissionId}/refuse")) guilds::applications::submission::refuse;
    POST "/console/guilds/{guild}/applications/{submission}/comments" Guild(of("POST /guilds/{guildId}/application-submissions/{submissionId}/comments")) guilds::applications::submission::comment;
    POST "/console/guilds/{guild}/sync/follow" Guild(of("PATCH /guilds/{guildId}/follow")) guilds::sync::set_follow::update;
    POST "/console/guilds/{guild}/sync/follow/resume" Guild(of("POST /guilds/{guildId}/follow/resume")) guilds::sync::set_follow::resume;
    GET "/console/guilds/{guild}/log-channels" Guild(Admin) guilds::log_channels::get;
    POST "/console/guilds/{guild}/log-channels" Guild(of("PUT /guilds/{guildId}/log-channels/{channelId}")) guilds::log_channels::set;
    POST "/console/guilds/{guild}/log-channels/{channel}/switch" Guild(of("PUT /guilds/{guildId}/log-channels/{channelId}")) guilds::log_channels::switch;
    POST "/console/guilds/{guild}/log-channels/{channel}/remove" Guild(of("DELETE /guilds/{guildId}/log-channels/{channelId}")) guilds::log_channels::remove;
    GET "/console/guilds/{guild}/webhooks" Guild(Admin) guilds::webhooks::get;
    POST "/console/guilds/{guild}/webhooks" Guild(of("POST /guilds/{guildId}/webhooks")) guilds::webhooks::add;
    GET "/console/guilds/{guild}/webhooks/{webhook}" Guild(Admin) guilds::webhooks::webhook::get;
    POST "/console/guilds/{guild}/webhooks/{webhook}" Guild(of("PATCH /guilds/{guildId}/webhooks/{webhookId}")) guilds::webhooks::webhook::update;
    POST "/console/guilds/{guild}/webhooks/{webhook}/switch" Guild(of("PATCH /guilds/{guildId}/webhooks/{webhookId}")) guilds::webhooks::act::switch;
    POST "/console/guilds/{guild}/webhooks/{webhook}/test" Guild(of("POST /guilds/{guildId}/webhooks/{webhookId}/test")) guilds::webhooks::act::test;
    POST "/console/guilds/{guild}/webhooks/{webhook}/secret" Guild(of("POST /guilds/{guildId}/webhooks/{webhookId}/rotate")) guilds::webhooks::act::replace_secret;
    POST "/console/guilds/{guild}/webhooks/{webhook}/remove" Guild(of("DELETE /guilds/{guildId}/webhooks/{webhookId}")) guilds::webhooks::act::remove;
    POST "/console/guilds/{guild}/webhooks/{webhook}/deliveries/{delivery}/replay" Guild(of("POST /guilds/{guildId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay")) guilds::webhooks::act::replay;
    GET "/console/guilds/{guild}/keys" Guild(Admin) guilds::keys::get;
    POST "/console/guilds/{guild}/keys" Guild(of("POST /guilds/{guildId}/keys")) guilds::keys::create::post;
    GET "/console/guilds/{guild}/keys/{key}/rotate" Guild(Admin) guilds::keys::rotate::get;
    POST "/console/guilds/{guild}/keys/{key}/rotate" Guild(of("POST /guilds/{guildId}/keys/{publicId}/rotate")) guilds::keys::rotate::post;
    GET "/console/guilds/{guild}/keys/{key}/revoke" Guild(Admin) guilds::keys::revoke::get;
    POST "/console/guilds/{guild}/keys/{key}/revoke" Guild(of("DELETE /guilds/{guildId}/keys/{publicId}")) guilds::keys::revoke::post;
    GET "/console/guilds/{guild}/settings" Guild(Permission("settings.read")) guilds::settings::get;
    POST "/console/guilds/{guild}/settings" Guild(of("PATCH /guilds/{guildId}/settings")) guilds::settings::post;
    GET "/console/guilds/{guild}/audit" Guild(Permission("audit.read")) guilds::audit::get;
    GET "/console/guilds/{guild}/audit/export" Guild(Permission("audit.read")) guilds::audit::export::get;
    GET "/console/guilds/{guild}/audit/{entry}" Guild(Permission("audit.read")) guilds::audit::entry::get;
    GET "/console/guilds/{guild}/servers" Guild(Permission("moderation.read")) guilds::servers::get;
    POST "/console/guilds/{guild}/servers/command" Guild(of("POST /guilds/{guildId}/servers/commands")) guilds::servers::command::all;
    GET "/console/guilds/{guild}/servers/{server}" Guild(Permission("moderation.read")) guilds::servers::server::get;
    POST "/console/guilds/{guild}/servers/{server}/command" Guild(of("POST /play/servers/{serverId}/commands")) guilds::servers::command::one;
    GET "/console/guilds/{guild}/sync" Guild(Permission("sync.write")) guilds::sync::get;
    POST "/console/guilds/{guild}/sync/preview" Guild(of("POST /interactions/sync/all")) guilds::sync::preview;
    GET "/console/guilds/{guild}/sync/run" Guild(Permission("sync.write")) guilds::sync::run::get;
    POST "/console/guilds/{guild}/sync/run" Guild(of("POST /interactions/sync/all")) guilds::sync::run::post;
    GET "/console/guilds/{guild}/jobs" Guild(Permission("sync.write")) guilds::jobs::get;
    GET "/console/guilds/{guild}/jobs/{job}" Guild(Permission("sync.write")) guilds::jobs::job::get;
    POST "/console/guilds/{guild}/jobs/{job}/cancel" Guild(of("DELETE /jobs/{jobId}")) guilds::jobs::job::cancel;
    POST "/console/guilds/{guild}/jobs/{job}/retry" Guild(of("POST /jobs/{jobId}/retry")) guilds::jobs::job::retry;
    POST "/console/guilds/{guild}/jobs/{job}/undo" Guild(of("POST /jobs/{jobId}/undo")) guilds::jobs::job::undo;
};

/// The rows by their paths.
#[expect(clippy::expect_used, reason = "the table is constant, and a test builds this from it")]
static BY_PATH: LazyLock<Router<Vec<&'static Row>>> = LazyLock::new(|| {
    let mut tree = Router::new();
    let mut paths: Vec<_> = ROWS.iter().map(|row| row.path).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let here = ROWS.iter().filter(|row| row.path == path).collect();
        tree.insert(path, here).expect("paths of the table do not contradict each other");
    }
    tree
});

pub(crate) fn find(method: &Method, path: &str) -> Result<(&'static Row, Params), PageError> {
    let found = BY_PATH.at(path).map_err(|_| PageError::NotFound)?;
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let row = found.value.iter().copied().find(|row| row.method == *method);
    let row = row.ok_or_else(|| PageError::Method(allowed(found.value)))?;
    // Nothing has a NUL in its name: Postgres stores none.
    let decoded = |text: &str| {
        let text = percent_encoding::percent_decode_str(text).decode_utf8().ok()?;
        (!text.contains('\0')).then(|| text.into_owned())
    };
    let params = found.params.iter().map(|(name, text)| Some((name.to_owned(), decoded(text)?)));
    Ok((row, params.collect::<Option<_>>().ok_or(PageError::NotFound)?))
}

/// Methods of the rows of one path.
fn allowed(rows: &[&Row]) -> &'static str {
    match (rows.iter().any(|row| row.method == Method::GET), rows.len()) {
        (true, 1) => "GET, HEAD",
        (true, _) => "GET, HEAD, POST",
        (false, _) => "POST",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use people::actions;

    #[test]
    fn a_path_is_found_by_its_method_with_decoded_parameters() {
        let (row, params) = find(&Method::HEAD, "/console/guilds/1%37/bindings").unwrap();
        assert_eq!((row.path, params[0].1.as_str()), ("/console/guilds/{guild}/bindings", "17"));
        let refused = |method, path| find(&method, path).map(drop).unwrap_err();
        assert!(matches!(refused(Method::GET, "/console/guilds/%FF"), PageError::NotFound));
        for (path, expected) in [
            ("/console/guilds/17/bindings", "GET, HEAD, POST"),
            ("/console/sign-out", "POST"),
            ("/console", "GET, HEAD"),
        ] {
            let refused = refused(Method::DELETE, path);
            assert!(matches!(refused, PageError::Method(allowed) if allowed == expected), "{path}");
        }
    }

    /// What each page and call needs, as reviewed. The end-to-end tests take their expectations from this
    /// file.
    #[test]
    fn rights_are_as_reviewed() {
        let page = |row: &Row| {
            let who = match &row.page {
                Page::Open(_) => "everybody".to_owned(),
                Page::Own(_) => "signed in".to_owned(),
                Page::Operator(_) => "operator".to_owned(),
                Page::Guild(needs, _) => short(*needs),
            };
            format!("{} {} = {who}\n", row.method, row.path)
        };
        let pages: String = ROWS.iter().map(page).collect();
        let calls =
            actions::calls().map(|(method, path, needs)| format!("{method} {path} = {}\n", short(needs)));
        let calls = calls.collect::<Vec<_>>().concat();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../tests/e2e/security");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("rights", format!("{pages}\n{calls}")));
    }

    fn short(needs: Needs) -> String {
        match needs {
            Needs::Member => "member".to_owned(),
            Needs::Staff => "staff".to_owned(),
            Needs::Permission(name) => name.to_owned(),
            Needs::Admin => "admin".to_owned(),
        }
    }

    #[test]
    fn changes_are_posts_and_pages_of_a_guild_are_below_it() {
        for row in ROWS {
            assert!([Method::GET, Method::POST].contains(&row.method), "{}", row.path);
            let of_guild = row.path.starts_with("/console/guilds/{guild}");
            assert_eq!(matches!(row.page, Page::Guild(..)), of_guild, "{}", row.path);
        }
    }
}
