//! The console: pages for the people who run a guild, drawn on the server and served by the API process.
//!
//! A request goes through `routes` (match), `guard` (who is signed in, what they may do), the reading of its form, and one
//! page, an `async fn(GuildVisit) -> Result<Response, PageError>`: `admitted` calls them in this order. A page is found by
//! its URL: `/console/guilds/:guild/bindings` is `pages/guilds/bindings.rs`. It writes its HTML with `html`. Pages read through `entities`; each change is a call of the API in this process (`people::Api`),
//! so that checks, transactions and audit entries exist once. Everything works without JavaScript.

mod admitted;
mod fields;
mod figures;
mod guard;
mod host;
mod html;
mod metrics;
mod pages;
mod platform_cache;
mod request;
mod response;
mod routes;
mod state;
mod visit;

use std::sync::Arc;

use bytes::Bytes;

pub use admitted::Admitted;
pub use fields::MOST_FIELDS;
pub use figures::{CacheFigures, Held, ProcessFigures, RateLimitFigures, Weighed};
pub use guard::live::{LiveKey, LivePerson, bearer};
pub use guard::live_refusal::LiveRefusal;
pub use guard::secret::ConsoleSecret;
pub use host::{Host, Over, Turn};
pub use request::{APPLICANTS, MEMBERS, ROOT, Request};
pub use response::body::{Body, Broken, Unread};
use response::{PageError, Response, error_page};
pub use state::{Console, WaysIn};

/// Where Discord sends browsers back to, below the public address: the redirects of its application.
pub const DISCORD_CALLBACKS: [&str; 2] = [pages::sign_in::CALLBACK, pages::linking::prove::DISCORD];

impl Console {
    /// What a request needs before its form may be read: the page exists and takes this method, the person is signed in
    /// and has the right, and the form comes from a page of this console. Otherwise the response.
    pub async fn admit(self: &Arc<Self>, request: Request) -> Result<Admitted, http::Response<Body>> {
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
    ) -> http::Response<Body> {
        let request = admitted.request().clone();
        let response = admitted::respond(admitted, form).await;
        self.finish(&request, response).await
    }

    async fn finish(
        self: &Arc<Self>,
        request: &Request,
        response: Result<Response, PageError>,
    ) -> http::Response<Body> {
        let response = match response {
            Ok(response) => response.into_http(),
            Err(error) => error_page::response(self, request, error).await,
        };
        response::with_security_headers(response)
    }
}
