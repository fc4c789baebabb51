//! The console: pages for the people who run a guild, drawn on the server and served by the API process.
//!
//! A request goes through `routes` (match), `session` (who is signed in), `rights` (what they may do) and one page, an
//! `async fn(GuildVisit) -> Result<Answer, PageError>`. A page is found by its URL: `/console/guilds/:guild/bindings` is
//! `pages/guilds/bindings.rs`. Pages read through `entities`; each change is a call of the API in this process ([`Api`]),
//! so that checks, transactions and audit entries exist once. Everything works without JavaScript.

mod accounts;
pub mod actions;
mod answer;
mod api;
mod assets;
mod chart;
mod client;
mod cookies;
mod error_page;
mod fields;
mod figures;
mod form;
mod groups;
mod labels;
mod list;
mod metrics;
mod name_search;
mod names;
mod own_page;
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

use accounts::AccountCache;
pub use api::{Api, ApiAnswer, ApiCall, Caller};
pub use figures::{CacheFigures, Held, ProcessFigures, RateLimitFigures, Weighed};
use groups::GroupCache;
use name_search::NameSearches;
use names::NameCache;
use rights::RightsCache;
pub use rights::{Needs, Rights};
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
    ways_in: WaysIn,
    rights: RightsCache,
    tokens: Tokens,
    groups: GroupCache,
    accounts: AccountCache,
    names: NameCache,
    name_searches: NameSearches,
    looks: metrics::Looks,
    router: Router,
}

/// How people get in.
#[derive(Clone, Debug, Default)]
pub struct WaysIn {
    /// What browsers see, without a slash at the end; needed for signing in with the chat platform.
    pub public_url: Option<String>,
    /// The command that prints a link, as the sign-in page names it; `None`: the usual one, for any server.
    pub link_command: Option<String>,
}

/// A request below [`ROOT`].
#[derive(Clone)]
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
        ways_in: WaysIn,
    ) -> Arc<Self> {
        let (rights, router) = (RightsCache::default(), Router::new());
        let (groups, accounts) = (GroupCache::default(), AccountCache::default());
        let (tokens, looks) = (Tokens::default(), metrics::Looks::default());
        Arc::new(Self {
            context,
            platforms,
            queue,
            api,
            ways_in,
            rights,
            tokens,
            groups,
            accounts,
            names: NameCache::default(),
            name_searches: NameSearches::default(),
            looks,
            router,
        })
    }

    /// The page, redirect or file for a request. Never fails: errors are pages too.
    pub async fn respond(self: &Arc<Self>, request: Request) -> Response<Bytes> {
        let response = match routes::dispatch(self, request.clone()).await {
            Ok(answer) => answer.into_response(),
            Err(error) => error_page::answer(self, &request, error).await,
        };
        answer::guard(response)
    }
}
