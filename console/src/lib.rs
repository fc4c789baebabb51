//! The console: pages for the people who run a guild, drawn on the server and served by the API process.
//!
//! A request goes through `routes` (match), `session` (who is signed in), `rights` (what they may do), the reading of its
//! form, and one page, an `async fn(GuildVisit) -> Result<Answer, PageError>`. A page is found by its URL: `/console/guilds/:guild/bindings` is
//! `pages/guilds/bindings.rs`. Pages read through `entities`; each change is a call of the API in this process ([`Api`]),
//! so that checks, transactions and audit entries exist once. Everything works without JavaScript.

mod accounts;
pub mod actions;
mod admitted;
mod answer;
mod api;
mod assets;
mod body;
mod chart;
mod client;
mod cookies;
mod error_page;
mod exports;
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
mod strangers;
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
pub use admitted::Admitted;
use answer::{Answer, PageError};
pub use api::{Api, ApiAnswer, ApiCall, Caller, Over, Turn};
pub use body::{Body, Broken, Unread};
use exports::Exports;
pub use fields::MOST as MOST_FIELDS;
pub use figures::{CacheFigures, Held, ProcessFigures, RateLimitFigures, Weighed};
use groups::GroupCache;
use name_search::NameSearches;
use names::NameCache;
use rights::RightsCache;
pub use rights::{Needs, Rights};
use routes::Router;
pub use secret::ConsoleSecret;
pub use session::live::{LiveKey, LivePerson, LiveRefusal, bearer};
use session::spent::Spent;
use session::tokens::Tokens;

/// The paths that [`Console::respond`] serves: this one and all below it.
pub const ROOT: &str = "/console";

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
    exports: Exports,
    spent: Spent,
    router: Router,
}

/// How people sign in.
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
            exports: Exports::default(),
            spent: Spent::default(),
            router,
        })
    }

    /// What a request needs before its form may be read: the page exists and takes this method, the person is signed in
    /// and has the right, and the form comes from a page of this console. Otherwise the answer.
    pub async fn admit(self: &Arc<Self>, request: Request) -> Result<Admitted, Response<Body>> {
        match admitted::admit(self, request.clone()).await {
            Ok(admitted) => Ok(admitted),
            Err(error) => Err(self.finish(&request, Err(error)).await),
        }
    }

    /// The page, redirect or file. Never fails: errors are pages too. `form` is empty where the page takes none.
    pub async fn respond(
        self: &Arc<Self>,
        admitted: Admitted,
        form: Result<Bytes, Unread>,
    ) -> Response<Body> {
        let request = admitted.request().clone();
        let answer = admitted::answer(admitted, form).await;
        self.finish(&request, answer).await
    }

    async fn finish(
        self: &Arc<Self>,
        request: &Request,
        answer: Result<Answer, PageError>,
    ) -> Response<Body> {
        let response = match answer {
            Ok(answer) => answer.into_response(),
            Err(error) => error_page::answer(self, request, error).await,
        };
        answer::guard(response)
    }
}
