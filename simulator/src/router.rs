//! The route table: every route of the simulator with its platform, bucket and handler.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use http::Method;
use matchit::Router;
use percent_encoding::percent_decode_str;

use crate::endpoints::authorize::platforms::{Chat, Play};
use crate::endpoints::control::linking;
use crate::endpoints::{authorize, bans, channels, control, guild, members, play, play_tokens, tokens};
use crate::reply::Reply;
use crate::route::{BucketRule, Input, Route, Side, Window};
use crate::simulator::Simulator;
use crate::stats;

/// The chat platform serves its API below each of them.
const API_PREFIXES: [&str; 2] = ["/api/v10", "/api"];

pub(crate) type Handler = fn(&Simulator, &Input) -> Reply;

pub(crate) struct Endpoint {
    pub(crate) route: Route,
    pub(crate) handler: Handler,
}

fn chat_route(name: &'static str, bucket: BucketRule, handler: Handler) -> Endpoint {
    Endpoint { route: Route { name, side: Side::Chat, bucket: Some(bucket) }, handler }
}

/// `limit` requests in `seconds`, as most routes have.
const fn sliding(name: &'static str, limit: u32, seconds: u64) -> BucketRule {
    BucketRule { name, limit, window: Duration::from_secs(seconds), kind: Window::Sliding }
}

/// Shared by granting and removing one role, separate from other changes of a member (discord-api-docs, issue 7680).
const SINGLE_ROLE: BucketRule = BucketRule {
    name: "b0bb9027ff6ae0c9619c2719f4a24de5",
    limit: 10,
    window: Duration::from_secs(10),
    kind: Window::Fixed,
};
/// discord-api-docs, issue 2204.
const UPDATE_MEMBER: BucketRule = sliding("b6624f93d1e07c52", 10, 10);
/// The other numbers are plausible guesses: clients must learn them from the headers.
const BANS: BucketRule = sliding("7f2e90c41bd8a635", 10, 5);

fn other(name: &'static str, side: Side, handler: Handler) -> Endpoint {
    Endpoint { route: Route { name, side, bucket: None }, handler }
}

fn table() -> Vec<Endpoint> {
    vec![
        chat_route("GET /users/@me", sliding("9c1b7e2fa0d34586", 30, 30), guild::bot_user),
        chat_route("GET /users/:user", sliding("c47f20ab9e15d863", 30, 30), guild::user),
        chat_route("GET /applications/@me", sliding("6e20d9f1b74ac853", 5, 5), guild::application),
        // The older path of the same route, which some clients still use.
        chat_route("GET /oauth2/applications/@me", sliding("f03b58c7e612d94a", 5, 5), guild::application),
        chat_route("GET /guilds/:guild", sliding("18ae4b7d93c6f052", 10, 5), guild::one),
        chat_route("GET /guilds/:guild/roles", sliding("41f9a6d05c7be823", 10, 5), guild::roles),
        chat_route(stats::READ_MEMBERS, sliding("d83c05be9417fa62", 10, 5), members::page),
        chat_route("GET /guilds/:guild/members/search", sliding("62b8f1d07ac93e54", 10, 10), members::search),
        chat_route("GET /guilds/:guild/members/:user", sliding("5e07c1aa38d2f694", 5, 1), members::one),
        chat_route(stats::UPDATE_MEMBER, UPDATE_MEMBER, members::update),
        chat_route(stats::ADD_ROLE, SINGLE_ROLE, members::add_role),
        chat_route(stats::REMOVE_ROLE, SINGLE_ROLE, members::remove_role),
        chat_route("GET /guilds/:guild/bans/:user", sliding("ab94e27f50d3c618", 10, 5), bans::one),
        chat_route(stats::BAN, BANS, bans::ban),
        chat_route("DELETE /guilds/:guild/bans/:user", BANS, bans::unban),
        chat_route("GET /guilds/:guild/channels", sliding("e5518b3d07fc9a26", 10, 5), channels::list),
        chat_route(stats::CREATE_CHANNEL, sliding("23d6af084eb15c97", 10, 15), channels::create),
        other("GET /oauth2/authorize", Side::SignIn, authorize::page::<Chat>),
        other("POST /oauth2/authorize", Side::SignIn, authorize::decide::<Chat>),
        other("POST /oauth2/token", Side::SignIn, tokens::exchange),
        other("POST /oauth2/token/revoke", Side::SignIn, tokens::revoke),
        other("GET /oauth2/@me", Side::SignIn, tokens::authorization),
        // The same route as the bot's, for a person.
        other("GET /users/@me", Side::SignIn, tokens::user),
        other("GET /users/@me/guilds", Side::SignIn, tokens::guilds),
        other("GET /users/@me/connections", Side::SignIn, tokens::connections),
        other("GET /oauth/v1/authorize", Side::PlaySignIn, authorize::page::<Play>),
        other("POST /oauth/v1/authorize", Side::PlaySignIn, authorize::decide::<Play>),
        other("POST /oauth/v1/token", Side::PlaySignIn, play_tokens::exchange),
        other("POST /oauth/v1/token/revoke", Side::PlaySignIn, play_tokens::revoke),
        other("GET /oauth/v1/userinfo", Side::PlaySignIn, play_tokens::userinfo),
        other("GET /oauth/v1/certs", Side::PlaySignIn, play_tokens::certs),
        other("GET /oauth/.well-known/openid-configuration", Side::PlaySignIn, play_tokens::configuration),
        other("GET /cloud/v2/groups/-/memberships", Side::Cloud, play::memberships),
        other("GET /cloud/v2/groups/:group/memberships", Side::Cloud, play::memberships),
        other("GET /cloud/v2/groups/:group", Side::Cloud, play::group),
        other("GET /cloud/v2/groups/:group/roles", Side::Cloud, play::group_roles),
        other("POST /v1/users", Side::Users, play::users),
        other("GET /v1/users/:user", Side::Users, play::profile),
        other("GET /control/routes", Side::Control, control::routes),
        other("GET /control/stats", Side::Control, control::stats),
        other("GET /control/updates", Side::Control, control::updates),
        other("POST /control/stats/reset", Side::Control, control::reset_stats),
        other("POST /control/faults", Side::Control, control::add_fault),
        other("DELETE /control/faults", Side::Control, control::clear_faults),
        other("POST /control/members", Side::Control, control::change_members),
        other("POST /control/intents", Side::Control, control::change_intents),
        other("POST /control/connections", Side::Control, linking::change_connections),
        other("POST /control/profiles", Side::Control, linking::change_profile),
        other("POST /control/keys", Side::Control, linking::rotate_keys),
        other("GET /control/chat/guilds/:guild/members/:user", Side::Control, control::chat_member),
        other("GET /control/chat/guilds/:guild/state", Side::Control, control::guild_state),
        other("GET /control/chat/guilds/:guild/audit-log", Side::Control, control::audit_log),
    ]
}

pub(crate) struct Routes {
    table: Vec<Endpoint>,
    paths: Router<Vec<(Method, usize)>>,
}

pub(crate) enum Matched<'a> {
    Found(&'a Endpoint, HashMap<String, String>),
    WrongMethod,
    Nothing,
}

impl Routes {
    /// `Err` names a route that contradicts another: an error in the table.
    pub(crate) fn new() -> Result<Self, String> {
        let table = table();
        let mut by_path: HashMap<String, Vec<(Method, usize)>> = HashMap::new();
        for (index, endpoint) in table.iter().enumerate() {
            let name = endpoint.route.name;
            let (method, path) = name.split_once(' ').ok_or(name)?;
            let method = method.parse().map_err(|_| name)?;
            by_path.entry(braced(path)).or_default().push((method, index));
        }
        let mut paths = Router::new();
        for (path, methods) in by_path {
            paths.insert(path, methods).map_err(|error| error.to_string())?;
        }
        Ok(Self { table, paths })
    }

    /// `bearer`: with a person's access token, for which `GET /users/@me` has another handler than for the bot.
    pub(crate) fn find(&self, method: &Method, path: &str, bearer: bool) -> Matched<'_> {
        let path = decoded(API_PREFIXES.iter().find_map(|prefix| path.strip_prefix(prefix)).unwrap_or(path));
        let Ok(found) = self.paths.at(&path) else { return Matched::Nothing };
        let served = found.value.iter().filter(|(served, _)| served == method);
        let mut served = served.filter_map(|(_, index)| self.table.get(*index));
        let first = served.next();
        let fits = |endpoint: &&Endpoint| bearer && endpoint.route.side == Side::SignIn;
        match first.filter(fits).or_else(|| served.find(fits)).or(first) {
            Some(endpoint) => {
                let params = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
                Matched::Found(endpoint, params.collect())
            }
            None => Matched::WrongMethod,
        }
    }

    pub(crate) fn platform_names(&self) -> impl Iterator<Item = &'static str> {
        let routes = self.table.iter().map(|endpoint| &endpoint.route);
        let names = routes.filter(|route| route.side != Side::Control).map(|route| route.name);
        names.collect::<BTreeSet<_>>().into_iter()
    }
}

/// Each segment is percent-decoded (clients write `/users/%40me`); an encoded slash stays one.
fn decoded(path: &str) -> String {
    let part = |part: &str| match percent_decode_str(part).decode_utf8() {
        Ok(text) if !text.contains('/') => text.into_owned(),
        _ => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// `/guilds/:guild` as matchit writes it: `/guilds/{guild}`.
fn braced(path: &str) -> String {
    let part = |part: &str| match part.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_serves_every_template_with_and_without_the_prefix() {
        let routes = Routes::new().unwrap();
        for (method, path, name) in [
            (Method::PATCH, "/guilds/1/members/2", stats::UPDATE_MEMBER),
            (Method::PATCH, "/api/v10/guilds/1/members/2", stats::UPDATE_MEMBER),
            (Method::GET, "/users/@me", "GET /users/@me"),
            (Method::POST, "/api/oauth2/token", "POST /oauth2/token"),
            (Method::GET, "/api/v10/users/%40me", "GET /users/@me"),
            (Method::GET, "/guilds/1/members/search", "GET /guilds/:guild/members/search"),
            (Method::GET, "/cloud/v2/groups/5/memberships", "GET /cloud/v2/groups/:group/memberships"),
            (Method::GET, "/cloud/v2/groups/-/memberships", "GET /cloud/v2/groups/-/memberships"),
            (Method::GET, "/cloud/v2/groups/5/roles", "GET /cloud/v2/groups/:group/roles"),
        ] {
            assert!(
                matches!(routes.find(&method, path, false), Matched::Found(endpoint, _) if endpoint.route.name == name),
                "{path}"
            );
        }
        for (bearer, side) in [(false, Side::Chat), (true, Side::SignIn)] {
            let found = routes.find(&Method::GET, "/api/v10/users/@me", bearer);
            assert!(matches!(found, Matched::Found(endpoint, _) if endpoint.route.side == side), "{bearer}");
        }
        assert!(matches!(routes.find(&Method::POST, "/guilds/1/roles", false), Matched::WrongMethod));
        assert!(matches!(routes.find(&Method::GET, "/nowhere", false), Matched::Nothing));
        assert!(matches!(routes.find(&Method::GET, "/roles/a%2Fb", false), Matched::Nothing));
    }
}
