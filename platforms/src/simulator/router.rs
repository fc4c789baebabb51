//! One table: every route the simulator serves, its side, its bucket and what answers it.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use matchit::Router;

use super::reply::Reply;
use super::server::Simulator;
use super::{chat, control, ledger, members, play, timeline};
use crate::routes::{chat as chat_routes, play as play_routes};

/// Which platform a route belongs to, which decides credential and limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Needs `Authorization`; global limit and buckets.
    Chat,
    /// Needs `x-api-key`; 300 a minute for each key.
    Cloud,
    /// Open to anybody.
    Users,
    /// Not a platform: no limits, no faults, not counted.
    Control,
}

/// A bucket as the chat platform has them: so many requests in a window, for each guild.
#[derive(Debug, Clone, Copy)]
pub(super) struct BucketRule {
    pub(super) name: &'static str,
    pub(super) limit: u32,
    pub(super) window: Duration,
}

pub(super) struct Route {
    /// The template, as in [`crate::routes`].
    pub(super) name: &'static str,
    pub(super) side: Side,
    pub(super) bucket: Option<BucketRule>,
    pub(super) answer: fn(&Simulator, &Input) -> Reply,
}

/// What came with a request.
#[derive(Default)]
pub(super) struct Input {
    pub(super) params: HashMap<String, String>,
    pub(super) query: HashMap<String, String>,
    pub(super) body: Bytes,
}

impl Input {
    pub(super) fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }
}

type Answer = fn(&Simulator, &Input) -> Reply;

fn chat_route(name: &'static str, bucket: (&'static str, u32, u64), answer: Answer) -> Route {
    let (bucket, limit, window_ms) = bucket;
    let rule = BucketRule { name: bucket, limit, window: Duration::from_millis(window_ms) };
    Route { name, side: Side::Chat, bucket: Some(rule), answer }
}

fn other(name: &'static str, side: Side, answer: Answer) -> Route {
    Route { name, side, bucket: None, answer }
}

fn table() -> Vec<Route> {
    vec![
        chat_route(chat_routes::BOT_USER, ("9c1b7e2f", 30, 1000), chat::bot_user),
        chat_route(chat_routes::ROLES, ("41f9a6d0", 20, 1000), chat::roles),
        chat_route(chat_routes::MEMBERS, ("d83c05be", 10, 1000), members::page),
        chat_route(chat_routes::MEMBER, ("5e07c1aa", 30, 1000), members::one),
        chat_route(chat_routes::UPDATE_MEMBER, ("b6624f93", 50, 1000), members::update),
        // Granting and removing share a bucket, as on the real host.
        chat_route(chat_routes::ADD_ROLE, ("0da35c7e", 20, 1000), members::add_role),
        chat_route(chat_routes::REMOVE_ROLE, ("0da35c7e", 20, 1000), members::remove_role),
        chat_route(chat_routes::BAN, ("7f2e90c4", 10, 1000), chat::ban),
        chat_route(chat_routes::UNBAN, ("7f2e90c4", 10, 1000), chat::unban),
        chat_route(chat_routes::CHANNELS, ("e5518b3d", 10, 1000), chat::channels),
        chat_route(chat_routes::CREATE_CHANNEL, ("23d6af08", 5, 1000), chat::create_channel),
        other(play_routes::MEMBERSHIPS, Side::Cloud, play::memberships),
        other(play_routes::GROUP_ROLES, Side::Cloud, play::group_roles),
        other(play_routes::USERS, Side::Users, play::users),
        other("GET /control/routes", Side::Control, control::routes),
        other("GET /control/stats", Side::Control, control::stats),
        other("GET /control/updates", Side::Control, timeline::updates),
        other("POST /control/stats/reset", Side::Control, control::reset_stats),
        other("POST /control/faults", Side::Control, control::add_fault),
        other("DELETE /control/faults", Side::Control, control::clear_faults),
        other("POST /control/members", Side::Control, control::change_members),
        other("GET /control/chat/guilds/:guild/members/:user", Side::Control, control::chat_member),
        other("GET /control/chat/guilds/:guild/ledger", Side::Control, ledger::ledger),
    ]
}

pub(super) struct Routes {
    table: Vec<Route>,
    paths: Router<Vec<(Method, usize)>>,
}

pub(super) enum Matched<'a> {
    Route(&'a Route, HashMap<String, String>),
    WrongMethod,
    Nothing,
}

impl Routes {
    /// `Err` names a route that contradicts another: a mistake in the table.
    pub(super) fn new() -> Result<Self, String> {
        let table = table();
        let mut by_path: HashMap<String, Vec<(Method, usize)>> = HashMap::new();
        for (index, route) in table.iter().enumerate() {
            let (method, path) = route.name.split_once(' ').ok_or(route.name)?;
            let method = method.parse().map_err(|_| route.name)?;
            by_path.entry(braced(path)).or_default().push((method, index));
        }
        let mut paths = Router::new();
        for (path, methods) in by_path {
            paths.insert(path, methods).map_err(|error| error.to_string())?;
        }
        Ok(Self { table, paths })
    }

    pub(super) fn find(&self, method: &Method, path: &str) -> Matched<'_> {
        let path = path.strip_prefix("/api/v10").unwrap_or(path);
        let Ok(found) = self.paths.at(path) else { return Matched::Nothing };
        let route = found.value.iter().find(|(served, _)| served == method);
        match route.and_then(|(_, index)| self.table.get(*index)) {
            Some(route) => {
                let params = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
                Matched::Route(route, params.collect())
            }
            None => Matched::WrongMethod,
        }
    }

    /// Templates of the platform routes: the names faults and statistics use.
    pub(super) fn platform_names(&self) -> impl Iterator<Item = &'static str> {
        self.table.iter().filter(|route| route.side != Side::Control).map(|route| route.name)
    }
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
            (Method::PATCH, "/guilds/1/members/2", chat_routes::UPDATE_MEMBER),
            (Method::PATCH, "/api/v10/guilds/1/members/2", chat_routes::UPDATE_MEMBER),
            (Method::GET, "/users/@me", chat_routes::BOT_USER),
            (Method::GET, "/cloud/v2/groups/-/memberships", play_routes::MEMBERSHIPS),
            (Method::GET, "/cloud/v2/groups/5/roles", play_routes::GROUP_ROLES),
        ] {
            assert!(
                matches!(routes.find(&method, path), Matched::Route(route, _) if route.name == name),
                "{path}"
            );
        }
        assert!(matches!(routes.find(&Method::POST, "/guilds/1/roles"), Matched::WrongMethod));
        assert!(matches!(routes.find(&Method::GET, "/nowhere"), Matched::Nothing));
    }
}
