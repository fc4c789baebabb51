//! The game server that a call names: servers share the limits of their key (docs/rules.md 3).

use std::hash::{DefaultHasher, Hash, Hasher};

use http::HeaderMap;
use runtime::Sharer;
use serde_json::Value;

use crate::call::route::Route;
use crate::limits::rate_limit::RateLimit;
use crate::request::body::Body;
use crate::request::parts::{Sent, Source};
use crate::request::url::Params;

/// A game server names itself by it.
pub(crate) const HEADER: &str = "x-server-id";

/// Named by the path of what servers themselves call, or by the header.
pub(crate) fn of_request(route: &Route, params: &Params, headers: &HeaderMap) -> Option<Sharer> {
    let in_path = params.get("serverId").filter(|_| route.is_of_server()).map(sharer);
    in_path.or_else(|| headers.get(HEADER).and_then(|sent| sent.to_str().ok()).map(sharer))
}

/// A server's first tick is counted apart.
pub(crate) fn of_tick(body: &Body) -> (RateLimit, Option<Sharer>) {
    let json = |name| match body.find(name) {
        Some(Sent::Json(sent)) => Some(sent),
        _ => None,
    };
    let first = json("sequence").and_then(Value::as_f64) == Some(1.0);
    let limit = if first { RateLimit::ServerTickFirst } else { RateLimit::ServerTick };
    (limit, json("server_id").and_then(Value::as_str).map(sharer))
}

/// The same in every process.
pub(crate) fn sharer(server: &str) -> Sharer {
    let mut hasher = DefaultHasher::new();
    server.hash(&mut hasher);
    Sharer(hasher.finish())
}
