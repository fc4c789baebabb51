//! Finds the route of a request.

mod table;

use std::collections::{BTreeSet, HashMap};

use http::Method;
use matchit::Router;
use percent_encoding::percent_decode_str;

use crate::handler::Endpoint;
use crate::route::Side;
use crate::router::table::table;

/// The chat platform serves its API below each of them.
const API_PREFIXES: [&str; 2] = ["/api/v10", "/api"];

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
    use crate::stats;

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
