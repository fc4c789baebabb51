//! The console: pages for the people who run a guild, drawn on the server and served by the API process.
//!
//! A request goes through `routes` (match), `session` (who is signed in), `rights` (what they may do) and one page, an
//! `async fn(GuildVisit) -> Result<Answer, PageError>`. A page is found by its URL: `/console/guilds/:guild/bindings` is
//! `pages/guilds/bindings.rs`. Pages read through `entities`; each change is a call of the API in this process ([`Api`]),
//! so that checks, transactions and audit entries exist once. Everything works without JavaScript.

mod answer;
mod api;
mod assets;
mod chart;
mod cookies;
mod fields;
mod figures;
mod form;
mod groups;
mod labels;
mod metrics;
mod pages;
mod rights;
mod routes;
mod secret;
mod session;
mod shell;
mod visit;
mod words;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use platforms::Platforms;
use queue::Queue;
use runtime::Context;

pub use api::{Api, ApiAnswer, ApiCall, Caller};
pub use figures::{CacheFigures, Held, ProcessFigures, RateLimitFigures, Weighed};
use groups::GroupCache;
use rights::RightsCache;
use routes::Router;
pub use secret::ConsoleSecret;
pub use session::live::{LiveKey, LivePerson, LiveRefusal, bearer};
use session::tokens::Tokens;

/// The paths that [`Console::respond`] serves: this one and all below it.
pub const ROOT: &str = "/console";
/// Largest body of a form, bytes: a file of 10,000 Shield flags.
pub const BODY_LIMIT: usize = 4 * 1024 * 1024;

pub struct Console {
    context: Context,
    platforms: Platforms,
    queue: Queue,
    api: Arc<dyn Api>,
    /// What browsers see, without a slash at the end; needed for signing in with the chat platform.
    public_url: Option<String>,
    rights: RightsCache,
    tokens: Tokens,
    groups: GroupCache,
    looks: metrics::Looks,
    router: Router,
}

/// A request below [`ROOT`].
pub struct Request {
    pub method: Method,
    /// Still percent-encoded.
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub address: IpAddr,
    pub body: Bytes,
    pub request_id: Arc<str>,
}

impl Console {
    pub fn new(
        context: Context,
        platforms: Platforms,
        queue: Queue,
        api: Arc<dyn Api>,
        public_url: Option<String>,
    ) -> Arc<Self> {
        let (rights, groups, router) = (RightsCache::default(), GroupCache::default(), Router::new());
        let (tokens, looks) = (Tokens::default(), metrics::Looks::default());
        Arc::new(Self { context, platforms, queue, api, public_url, rights, tokens, groups, looks, router })
    }

    /// The page, redirect or file for a request. Never fails: errors are pages too.
    pub async fn respond(self: &Arc<Self>, request: Request) -> Response<Bytes> {
        let request_id = request.request_id.clone();
        let response = match routes::dispatch(self, request).await {
            Ok(answer) => answer.into_response(),
            Err(error) => error.into_response(&request_id),
        };
        answer::guard(response)
    }
}
