//! OAuth 2 as both sign-ins use it: authorization code with PKCE (S256), for a person at a browser.
//!
//! The calls carry the application's credentials or a person's access token, never the bot's token or the
//! game platform's key. They take permits of the platform's pacing all the same: it limits and bans
//! addresses too, and a pause that it asks of one route is observed. Strangers cause them, so they are the
//! first to stop ([`Priority::Stranger`]).

mod attempt;
mod errors;
mod id_token;

use bytes::Bytes;
use entities::Timestamp;
use futures_util::future::BoxFuture;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge,
    PkceCodeVerifier, RequestTokenError, Scope, StandardRevocableToken, StandardTokenResponse, TokenResponse,
    TokenUrl,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder};
use runtime::Secret;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use attempt::Signer;
pub use attempt::{ATTEMPT_SECONDS, Attempt, Begun};
use errors::Credential;
pub use errors::SignInError;
pub use id_token::IdTokenError;
pub(crate) use id_token::{Expected, IdToken, PublicKey};

use crate::answer;
use crate::context::Priority;
use crate::error::PlatformError;
use crate::exchange::{Http, Response, unexpected_shape};
use crate::pacing::{Answered, Ask, Pacer, Pause};

pub(crate) type Result<T, E = SignInError> = std::result::Result<T, E>;

/// The redirect address is sent as it is: the platforms compare it with the registered one as text.
const REDIRECT: &str = "redirect_uri";
const FORM: &str = "application/x-www-form-urlencoded";
/// The scope of OpenID Connect: with it, an attempt has a nonce and its exchange an ID token.
pub(crate) const OPENID: &str = "openid";
/// The pacing counts by guild; these calls concern none.
const NO_GUILD: i64 = 0;

/// What differs between the platforms.
pub(crate) struct Provider {
    /// URLs of the page for the browser, and of the endpoint for codes.
    pub(crate) authorize: String,
    pub(crate) token: String,
    pub(crate) token_route: &'static str,
    pub(crate) scopes: &'static [&'static str],
    /// The platform's access tokens are far shorter.
    pub(crate) longest_token: usize,
    /// The variable of the application's secret.
    pub(crate) variable: &'static str,
}

/// The application that people sign in with on one platform.
pub(crate) struct Application {
    http: Http,
    pacer: Pacer,
    signer: Signer,
    client: OAuthClient,
    provider: Provider,
    pub(crate) id: String,
    secret: Secret,
}

/// With URLs of the page and of the endpoint for codes.
type OAuthClient = Client<
    BasicErrorResponse,
    StandardTokenResponse<IdTokenField, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// What OpenID Connect adds to the answer of an exchange.
#[derive(Debug, Serialize, Deserialize)]
struct IdTokenField {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdTokenField {}

/// What a code was exchanged for.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: Option<String>,
    pub(crate) id: Option<String>,
}

impl Application {
    pub(crate) fn new(
        http: Http,
        pacer: Pacer,
        provider: Provider,
        id: String,
        secret: &Secret,
    ) -> Result<Self, PlatformError> {
        let invalid = |message: &str| PlatformError::Invalid { code: 0, message: message.to_owned() };
        let unusable = |_| invalid("the base URL gives no addresses for sign-in");
        let signer = Signer::new(secret, http.platform());
        let signer = signer.ok_or_else(|| invalid("the application's secret cannot be used"))?;
        let client = Client::new(ClientId::new(id.clone()))
            .set_client_secret(ClientSecret::new(secret.expose().to_owned()))
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(AuthUrl::new(provider.authorize.clone()).map_err(unusable)?)
            .set_token_uri(TokenUrl::new(provider.token.clone()).map_err(unusable)?);
        Ok(Self { http, pacer, signer, client, provider, id, secret: secret.clone() })
    }

    /// A new attempt of this owner, with these scopes beside those of the provider.
    pub(crate) fn attempt(&self, redirect: &str, scopes: &[&str], owner: &str, now: Timestamp) -> Attempt {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let state = self.signer.state(CsrfToken::new_random().secret(), verifier.secret(), owner, now);
        let request = self.client.authorize_url(|| CsrfToken::new(state));
        let all = self.provider.scopes.iter().chain(scopes).map(|scope| Scope::new((*scope).to_owned()));
        let mut request = request.add_scopes(all).add_extra_param(REDIRECT, redirect);
        if self.provider.scopes.contains(&OPENID) {
            request = request.add_extra_param("nonce", attempt::nonce(verifier.secret()));
        }
        let (url, state) = request.set_pkce_challenge(challenge).url();
        Attempt { url: url.into(), state: state.into_secret(), verifier: verifier.into_secret() }
    }

    pub(crate) fn begun(&self, state: &str, verifier: &str, owner: &str, now: Timestamp) -> Option<Begun> {
        self.signer.read(state, verifier, owner, now)
    }

    /// The tokens for a code.
    pub(crate) async fn exchange(&self, code: &str, begun: &Begun, redirect: &str) -> Result<Tokens> {
        let request = self.client.exchange_code(AuthorizationCode::new(code.to_owned()));
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(begun.verifier.clone()));
        match request.add_extra_param(REDIRECT, redirect).request_async(self).await {
            Ok(response) => Ok(Tokens {
                access: response.access_token().secret().clone(),
                refresh: response.refresh_token().map(|token| token.secret().clone()),
                id: response.extra_fields().id_token.clone(),
            }),
            Err(RequestTokenError::Request(error)) => Err(error),
            // The other errors quote the body.
            Err(_) => Err(unexpected_shape(self.provider.token_route).into()),
        }
    }

    /// Reads data of the token's owner.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        route: &'static str,
        url: &str,
        token: &str,
    ) -> Result<T> {
        let well_formed = (1..=self.provider.longest_token).contains(&token.len())
            && token.bytes().all(|b| b.is_ascii_graphic());
        let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| well_formed);
        let mut header = header.ok_or(SignInError::Unauthorized)?;
        header.set_sensitive(true);
        let request = self.http.request(Method::GET, url).header(AUTHORIZATION, header);
        let body = self.send(route, request, Credential::AccessToken).await?;
        Ok(self.http.parse(route, &body)?)
    }

    /// Reads what anybody may read.
    pub(crate) async fn public<T: DeserializeOwned>(&self, route: &'static str, url: &str) -> Result<T> {
        let request = self.http.request(Method::GET, url);
        let body = self.send(route, request, Credential::Application).await?;
        Ok(self.http.parse(route, &body)?)
    }

    /// Ends a token (RFC 7009).
    pub(crate) async fn revoke(&self, route: &'static str, url: &str, token: &str) -> Result<()> {
        let fields = [("token", token), ("client_id", &self.id), ("client_secret", self.secret.expose())];
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.http.request(Method::POST, url).header(CONTENT_TYPE, FORM).body(form);
        self.send(route, request, Credential::Application).await.map(drop)
    }

    /// The body of a success.
    async fn send(
        &self,
        route: &'static str,
        request: RequestBuilder,
        credential: Credential,
    ) -> Result<Bytes> {
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
        Err(errors::refused(route, &answer, credential, self.provider.variable))
    }
}

/// The pacing's data from it. A pause applies to the route: strangers do not pause calls of the bot.
fn learned(answer: &Response) -> Answered {
    let (mut answered, _) = answer::read(answer.status, &answer.headers, &answer.body);
    answered.pause = answered.pause.map(|pause| Pause { global: false, ..pause });
    answered
}

/// Sends the library's requests for tokens.
impl<'c> AsyncHttpClient<'c> for Application {
    type Error = SignInError;
    type Future = BoxFuture<'c, Result<HttpResponse>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        let route = self.provider.token_route;
        let unusable = |_| PlatformError::unavailable(route, "the request cannot be built");
        Box::pin(async move {
            let request = self.http.prepared(request).map_err(unusable)?;
            let body = self.send(route, request, Credential::Application).await?;
            Ok(HttpResponse::new(body.to_vec()))
        })
    }
}
