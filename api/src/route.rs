//! What a row of the route table says, and how a request finds its row.

use std::fmt::Write as _;

use ::http::Method;
use entities::api_key::Scope;
use futures_util::future::BoxFuture;
use percent_encoding::percent_decode_str;

use crate::bucket::Bucket;
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Bytes of a body, where a row says nothing else (docs/rules.md 3).
pub(crate) const BODY_LIMIT: usize = 256 * 1024;
/// The same for an import of 10,000 users (docs/rules.md 3).
pub(crate) const IMPORT_BODY_LIMIT: usize = 4 * 1024 * 1024;
/// Every path is also served below this one (docs/rules.md 1).
const VERSIONED: &str = "/api/v1";

pub(crate) type Handler = fn(Call) -> BoxFuture<'static, Result<Reply, ApiError>>;

/// Which scope a key must have for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Scope(Scope),
    /// That of the kind of the job in the path: the handler loads it by [`crate::jobs::find_to_change`], which checks.
    ScopeOfJob,
}

impl std::fmt::Display for Needs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scope(scope) => scope.fmt(f),
            Self::ScopeOfJob => f.write_str("that of the job's kind"),
        }
    }
}

/// An endpoint.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// As in the interface, a parameter in braces: `/lookup/chat/{chatId}`.
    pub(crate) path: &'static str,
    pub(crate) bucket: Bucket,
    pub(crate) needs: Needs,
    pub(crate) body_limit: usize,
    /// Heeds `Idempotency-Key`. Not so a POST that only reads.
    pub(crate) writes: bool,
    /// Puts work into the queue: refused while its quota cannot be counted, where others count in this process alone.
    pub(crate) enqueues: bool,
    pub(crate) handler: Handler,
}

impl Route {
    const fn new(
        method: Method,
        path: &'static str,
        (bucket, scope): (Bucket, Scope),
        handler: Handler,
    ) -> Self {
        let writes = !matches!(method, Method::GET);
        let needs = Needs::Scope(scope);
        Self { method, path, bucket, needs, body_limit: BODY_LIMIT, writes, enqueues: false, handler }
    }

    pub(crate) const fn get(path: &'static str, bucket: Bucket, scope: Scope, handler: Handler) -> Self {
        Self::new(Method::GET, path, (bucket, scope), handler)
    }

    pub(crate) const fn post(path: &'static str, bucket: Bucket, scope: Scope, handler: Handler) -> Self {
        Self::new(Method::POST, path, (bucket, scope), handler)
    }

    pub(crate) const fn patch(path: &'static str, bucket: Bucket, scope: Scope, handler: Handler) -> Self {
        Self::new(Method::PATCH, path, (bucket, scope), handler)
    }

    pub(crate) const fn put(path: &'static str, bucket: Bucket, scope: Scope, handler: Handler) -> Self {
        Self::new(Method::PUT, path, (bucket, scope), handler)
    }

    pub(crate) const fn delete(path: &'static str, bucket: Bucket, scope: Scope, handler: Handler) -> Self {
        Self::new(Method::DELETE, path, (bucket, scope), handler)
    }

    /// A POST that changes nothing.
    pub(crate) const fn reads(mut self) -> Self {
        self.writes = false;
        self
    }

    /// For a body that may be larger than others.
    pub(crate) const fn takes_up_to(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Changes a job: needs the scope of its kind instead.
    pub(crate) const fn changes_job(mut self) -> Self {
        self.needs = Needs::ScopeOfJob;
        self
    }

    pub(crate) const fn enqueues(mut self) -> Self {
        self.enqueues = true;
        self
    }
}

/// The parameters of a path, decoded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn of(found: &matchit::Params<'_, '_>) -> Result<Self, ApiError> {
        let decode = |(name, raw): (&str, &str)| {
            let text = percent_decode_str(raw).decode_utf8().ok().filter(|text| !text.contains('\0'));
            let text = text.ok_or_else(|| ApiError::field(name, &raw.into(), "valid UTF-8 without NUL"))?;
            Ok((name.to_owned(), text.into_owned()))
        };
        found.iter().map(decode).collect::<Result<_, _>>().map(Self)
    }
}

/// The path without the version prefix and a slash at its end.
pub(crate) fn plain(path: &str) -> &str {
    let path = path.strip_prefix(VERSIONED).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path)
}

const SERVER: &str = "{serverId}";

/// Finds the row of a request.
pub(crate) struct Router(matchit::Router<Vec<&'static Route>>);

impl Router {
    #[expect(clippy::expect_used, reason = "the table is constant, and a test builds this from it")]
    pub(crate) fn new(routes: &'static [Route]) -> Self {
        let mut tree = matchit::Router::new();
        let mut paths: Vec<_> = routes.iter().map(|route| route.path).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let here = routes.iter().filter(|route| route.path == path).collect();
            let here: Vec<&'static Route> = here;
            // The id of a server may be empty (docs/rules.md 7), which no parameter matches.
            if path.contains(SERVER) {
                let unnamed = path.replace(SERVER, "");
                tree.insert(unnamed, here.clone()).expect("paths of the table do not contradict each other");
            }
            tree.insert(path, here).expect("paths of the table do not contradict each other");
        }
        Self(tree)
    }

    /// `path` is as [`plain`] makes it.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(&'static Route, Params), ApiError> {
        let found = self.0.at(path).map_err(|_| ApiError::no_such_path())?;
        let Some(route) = found.value.iter().find(|route| route.method == *method) else {
            return Err(ApiError::method_not_allowed(allowed(found.value)));
        };
        Ok((*route, Params::of(&found.params)?))
    }
}

fn allowed(routes: &[&Route]) -> String {
    routes.iter().fold(String::new(), |mut list, route| {
        let separator = if list.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let head = if route.method == Method::GET { ", HEAD" } else { "" };
        let _ = write!(list, "{separator}{}{head}", route.method);
        list
    })
}
