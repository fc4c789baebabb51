//! Matches a request to its row in the tables of endpoints and pages.

use chat_commands::INTERACTIONS_PATH;
use http::Method;

use crate::call::route::Route;
use crate::openapi::dashboard;
use crate::request::url::Params;
use crate::response::error::ApiError;
use crate::routes::AREAS;
use crate::server::pages::{PAGES, Page};
use crate::server::webhook;

/// Every path is also served below this one (docs/rules.md 1).
const VERSIONED: &str = "/api/v1";
const SERVER: &str = "{serverId}";

/// The path without the version prefix and a trailing slash.
pub(crate) fn plain(path: &str) -> &str {
    let path = path.strip_prefix(VERSIONED).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// Where links of an answer begin: as its request did.
pub(crate) fn version(path: &str) -> &'static str {
    let versioned = path.strip_prefix(VERSIONED).is_some_and(|rest| rest.starts_with('/'));
    if versioned { VERSIONED } else { "" }
}

/// Every GET endpoint serves HEAD (docs/rules.md 8): the same response; the server omits the body.
pub(crate) fn asked(method: &Method) -> Method {
    if *method == Method::HEAD { Method::GET } else { method.clone() }
}

/// The match of a path.
enum Target {
    Endpoints(Vec<&'static Route>),
    Page(&'static Page),
    Console,
    Dashboard,
    Interactions,
    Webhook,
}

/// The match of a request.
pub(crate) enum Found {
    Endpoint(&'static Route, Params),
    Page(&'static Page),
    /// It matches what is below by itself.
    Console,
    /// The live socket of a dashboard: no key opens it.
    Dashboard(Params),
    /// What people do on the chat platform: signed by it.
    Interactions,
    /// What the game platform announces: signed by it.
    Webhook,
}

impl Found {
    /// The path of the row.
    pub(crate) fn route(&self) -> &'static str {
        match self {
            Self::Endpoint(route, _) => route.path,
            Self::Page(page) => page.path,
            Self::Console => console::ROOT,
            Self::Dashboard(_) => dashboard::PATH,
            Self::Interactions => INTERACTIONS_PATH,
            Self::Webhook => webhook::PATH,
        }
    }
}

pub(crate) struct Router(matchit::Router<Target>);

impl Router {
    #[expect(clippy::expect_used, reason = "the tables are constant, and a test builds this from them")]
    pub(crate) fn new() -> Self {
        let mut tree = matchit::Router::new();
        let mut insert = |path: String, target| {
            tree.insert(path, target).expect("paths of the tables do not contradict each other");
        };
        for page in &PAGES {
            insert(page.path.to_owned(), Target::Page(page));
        }
        for root in [console::ROOT, console::MEMBERS, console::APPLICANTS] {
            insert(root.to_owned(), Target::Console);
            insert(format!("{root}/{{*page}}"), Target::Console);
        }
        insert(dashboard::PATH.to_owned(), Target::Dashboard);
        insert(INTERACTIONS_PATH.to_owned(), Target::Interactions);
        insert(webhook::PATH.to_owned(), Target::Webhook);
        let routes: Vec<&'static Route> = AREAS.iter().flat_map(|area| area.routes).collect();
        let mut paths: Vec<_> = routes.iter().map(|route| route.path).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let here: Vec<_> = routes.iter().copied().filter(|route| route.path == path).collect();
            // The id of a server may be empty (docs/rules.md 7), which no parameter matches.
            if path.contains(SERVER) {
                insert(path.replace(SERVER, ""), Target::Endpoints(here.clone()));
            }
            insert(path.to_owned(), Target::Endpoints(here));
        }
        Self(tree)
    }

    /// `path` is the output of [`plain`].
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<Found, ApiError> {
        let found = self.0.at(path).map_err(|_| ApiError::no_such_path())?;
        let routes = match found.value {
            Target::Page(page) if *method == Method::GET => return Ok(Found::Page(page)),
            Target::Console => return Ok(Found::Console),
            Target::Interactions if *method == Method::POST => return Ok(Found::Interactions),
            Target::Webhook if *method == Method::POST => return Ok(Found::Webhook),
            Target::Interactions | Target::Webhook => {
                return Err(ApiError::method_not_allowed("POST".to_owned()));
            }
            Target::Dashboard if *method == Method::GET => {
                return Ok(Found::Dashboard(Params::decode(found.params.iter())?));
            }
            Target::Page(_) | Target::Dashboard => {
                return Err(ApiError::method_not_allowed("GET, HEAD".to_owned()));
            }
            Target::Endpoints(routes) => routes,
        };
        let Some(route) = routes.iter().find(|route| route.method == *method) else {
            return Err(ApiError::method_not_allowed(allowed(routes)));
        };
        Ok(Found::Endpoint(route, Params::decode(found.params.iter())?))
    }
}

fn allowed(routes: &[&'static Route]) -> String {
    let name = |route: &&'static Route| {
        if route.method == Method::GET { "GET, HEAD" } else { route.method.as_str() }
    };
    routes.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::error::Kind;

    fn endpoint(router: &Router, method: &Method, path: &str) -> (&'static Route, Params) {
        match router.find(method, path).unwrap() {
            Found::Endpoint(route, params) => (route, params),
            Found::Page(_) | Found::Console | Found::Dashboard(_) | Found::Interactions | Found::Webhook => {
                panic!("{path} is a page")
            }
        }
    }

    fn refusal(router: &Router, method: &Method, path: &str) -> ApiError {
        router.find(method, path).err().unwrap()
    }

    #[test]
    fn a_request_matches_its_row_or_gets_the_allowed_methods() {
        let router = Router::new();
        let (row, params) = endpoint(&router, &Method::GET, "/lookup/chat/%31%37");
        assert_eq!((row.path, params.get("chatId")), ("/lookup/chat/{chatId}", Some("17")));
        let wrong = refusal(&router, &Method::PUT, "/jobs/1");
        assert_eq!(wrong.parts().allow.as_deref(), Some("GET, HEAD, DELETE"));
        for path in ["/lookup", "/lookup/chat/", "/lookup/chat/1/2", "/reverse/", "//reverse"] {
            assert_eq!(refusal(&router, &Method::POST, path).kind(), Kind::NotFound, "{path}");
        }
        assert_eq!(refusal(&router, &Method::GET, "/lookup/chat/%00").kind(), Kind::BadRequest);
        for path in ["/", "/docs"] {
            assert!(matches!(router.find(&Method::GET, path), Ok(Found::Page(_))), "{path}");
        }
        assert_eq!(refusal(&router, &Method::POST, "/docs").parts().allow.as_deref(), Some("GET, HEAD"));
    }

    #[test]
    fn version_prefix_and_trailing_slash_are_removed_once() {
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
        let router = Router::new();
        let (row, params) = endpoint(&router, &Method::GET, "/play/servers//commands");
        assert_eq!((row.path, params.get("serverId")), ("/play/servers/{serverId}/commands", None));
        assert!(router.find(&Method::POST, "/play/servers//commands/7/ack").is_ok());
    }
}
