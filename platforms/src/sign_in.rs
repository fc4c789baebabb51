//! Sign-in with the chat platform: OAuth 2 authorization code with PKCE (S256), and the scopes `identify` and `guilds`.
//!
//! The calls carry the application's credentials or a person's access token, never the bot's token. They also
//! take permits of the bot's pacing: the platform bans the address of both for too many refusals, and a pause
//! that it asks of one route is observed. Strangers cause them, so they are the first to stop
//! ([`Priority::Stranger`]).
//!
//! No token is stored: [`SignIn::finish`] drops the one it obtained. Revoking it would end all tokens that
//! this person gave to this application, including those in other dashboards.

mod attempt;
mod errors;

use bytes::Bytes;
use entities::{GuildId, Timestamp};
use futures_util::future::BoxFuture;
use oauth2::basic::BasicClient;
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet,
    EndpointSet, HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RequestTokenError, Scope,
    TokenResponse, TokenUrl,
};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, RequestBuilder};
use runtime::Secret;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use attempt::Signer;
pub use attempt::{ATTEMPT_SECONDS, Begun};
pub use errors::SignInError;

use crate::answer;
use crate::chat::ChatUser;
use crate::context::Priority;
use crate::error::PlatformError;
use crate::exchange::{Http, Response, unexpected_shape};
use crate::guild_access::manages;
use crate::pacing::{Answered, Ask, Pacer, Pause};
use crate::permissions::Permissions;
use crate::routes::chat as routes;

type Result<T, E = SignInError> = std::result::Result<T, E>;

/// The authorization page, on the host that also serves the API.
const AUTHORIZE_PATH: &str = "/oauth2/authorize";
const SCOPES: [&str; 2] = ["identify", "guilds"];
/// The redirect address is sent as it is: the platform compares it with the registered one as text.
const REDIRECT: &str = "redirect_uri";
/// The pacing counts by guild; these calls concern none.
const NO_GUILD: i64 = 0;
/// The platform's access tokens are far shorter.
const LONGEST_TOKEN: usize = 512;

/// The application that people sign in with.
pub struct SignIn {
    http: Http,
    pacer: Pacer,
    signer: Signer,
    base: String,
    client: BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>,
    id: String,
}

/// One attempt to sign in. `state` and `verifier` belong to the browser that began it: only a callback with the same
/// `state`, from the same browser, may be finished, with this `verifier`.
pub struct Attempt {
    /// The URL for the browser.
    pub url: String,
    pub state: String,
    pub verifier: String,
}

/// Who has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub user: ChatUser,
    /// The guilds that they manage ([`GuildAccess::manages`](crate::GuildAccess::manages)), with Guildhall or without.
    pub manages: Vec<GuildId>,
}

/// One of `GET /users/@me/guilds`, which lists up to 200, the platform's limit.
#[derive(Deserialize)]
struct OwnGuild {
    id: GuildId,
    owner: bool,
    /// Of the person.
    permissions: Permissions,
}

/// `GET /oauth2/@me`.
#[derive(Deserialize)]
struct AuthorizationBody {
    application: ApplicationId,
    /// Absent without the scope `identify`.
    user: Option<ChatUser>,
}

#[derive(Deserialize)]
struct ApplicationId {
    id: String,
}

impl SignIn {
    /// `host`: of the authorization page; `base`: of the API.
    pub(crate) fn new(
        http: Http,
        pacer: Pacer,
        host: &str,
        base: String,
        id: String,
        secret: &Secret,
    ) -> Result<Self, PlatformError> {
        let invalid = |message: &str| PlatformError::Invalid { code: 0, message: message.to_owned() };
        let unusable = |_| invalid("the base URL gives no addresses for sign-in");
        let signer = Signer::new(secret).ok_or_else(|| invalid("the application's secret cannot be used"))?;
        let client = BasicClient::new(ClientId::new(id.clone()))
            .set_client_secret(ClientSecret::new(secret.expose().to_owned()))
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(AuthUrl::new(format!("{host}{AUTHORIZE_PATH}")).map_err(unusable)?)
            .set_token_uri(TokenUrl::new(format!("{base}/oauth2/token")).map_err(unusable)?);
        Ok(Self { http, pacer, signer, base, client, id })
    }

    /// A new attempt, which comes back to `redirect` with `code` and `state`, or with `error` and `state`
    /// ([`SignInError::of_callback`]).
    pub fn authorize_url(&self, redirect: &str, now: Timestamp) -> Attempt {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let state = self.signer.state(CsrfToken::new_random().secret(), verifier.secret(), now);
        let request = self.client.authorize_url(|| CsrfToken::new(state));
        let scopes = SCOPES.map(|scope| Scope::new(scope.to_owned()));
        let request = request.add_scopes(scopes).add_extra_param(REDIRECT, redirect);
        let (url, state) = request.set_pkce_challenge(challenge).url();
        Attempt { url: url.into(), state: state.into_secret(), verifier: verifier.into_secret() }
    }

    /// The attempt of a browser's callback: `None` unless it was begun here and has not expired.
    pub fn begun(&self, state: &str, verifier: &str, now: Timestamp) -> Option<Begun> {
        self.signer.read(state, verifier, now)
    }

    /// The person who authorized the attempt. `redirect` as in [`SignIn::authorize_url`]. The caller limits attempts.
    pub async fn finish(&self, code: &str, begun: &Begun, redirect: &str) -> Result<Person> {
        let token = self.exchange(code, &begun.verifier, redirect).await?;
        let user = self.read(routes::CURRENT_USER, "/users/@me", &token);
        let guilds = self.read::<Vec<OwnGuild>>(routes::OWN_GUILDS, "/users/@me/guilds", &token);
        let (user, guilds) = tokio::try_join!(user, guilds)?;
        let manages = guilds.iter().filter(|guild| manages(guild.owner, guild.permissions));
        Ok(Person { user, manages: manages.map(|guild| guild.id).collect() })
    }

    /// The person who gave another dashboard this access token, if it was given to our application.
    ///
    /// The platform bans an address that sends it too many invalid tokens: the caller limits attempts.
    pub async fn user_of(&self, access_token: &str) -> Result<ChatUser> {
        let AuthorizationBody { application, user } =
            self.read(routes::AUTHORIZATION, "/oauth2/@me", access_token).await?;
        user.filter(|_| application.id == self.id).ok_or(SignInError::Unauthorized)
    }

    /// The access token for a code.
    async fn exchange(&self, code: &str, verifier: &str, redirect: &str) -> Result<String> {
        let request = self.client.exchange_code(AuthorizationCode::new(code.to_owned()));
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()));
        match request.add_extra_param(REDIRECT, redirect).request_async(self).await {
            Ok(response) => Ok(response.access_token().secret().clone()),
            Err(RequestTokenError::Request(error)) => Err(error),
            // The other errors quote the body.
            Err(_) => Err(unexpected_shape(routes::TOKEN).into()),
        }
    }

    /// Reads data of the token's owner.
    async fn read<T: DeserializeOwned>(&self, route: &'static str, path: &str, token: &str) -> Result<T> {
        let well_formed =
            (1..=LONGEST_TOKEN).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic());
        let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| well_formed);
        let mut header = header.ok_or(SignInError::Unauthorized)?;
        header.set_sensitive(true);
        let request = self.http.request(Method::GET, &format!("{}{path}", self.base));
        let body = self.send(route, request.header(AUTHORIZATION, header)).await?;
        Ok(self.http.parse(route, &body)?)
    }

    /// The body of a success.
    async fn send(&self, route: &'static str, request: RequestBuilder) -> Result<Bytes> {
        let ask = Ask { route, major: NO_GUILD, priority: Priority::Stranger };
        let mut permit = self.pacer.acquire(ask).await?;
        permit.sending();
        let exchanged = self.http.send(route, request).await;
        permit.finish(&exchanged.as_ref().map_or_else(|_| Answered::default(), learned)).await;
        let answer = exchanged?;
        if (200..=299).contains(&answer.status) {
            return Ok(answer.body);
        }
        tracing::debug!(
            platform = self.http.platform(),
            route,
            status = answer.status,
            "sign-in call refused"
        );
        Err(errors::refused(route, &answer))
    }
}

/// The pacing's data from it. A pause applies to the route: strangers do not pause calls of the bot.
fn learned(answer: &Response) -> Answered {
    let (mut answered, _) = answer::read(answer.status, &answer.headers, &answer.body);
    answered.pause = answered.pause.map(|pause| Pause { global: false, ..pause });
    answered
}

/// Sends the library's requests for tokens.
impl<'c> AsyncHttpClient<'c> for SignIn {
    type Error = SignInError;
    type Future = BoxFuture<'c, Result<HttpResponse>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        let unusable = |_| PlatformError::unavailable(routes::TOKEN, "the request cannot be built");
        Box::pin(async move {
            let body = self.send(routes::TOKEN, self.http.prepared(request).map_err(unusable)?).await?;
            Ok(HttpResponse::new(body.to_vec()))
        })
    }
}
