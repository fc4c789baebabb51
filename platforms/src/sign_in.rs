//! Sign-in with the chat platform, with the scopes `identify` and `guilds`, and `connections` where a person proves
//! their account on the game platform by it.
//!
//! No token is stored: [`SignIn::finish`] drops the one it obtained. Revoking it would end all tokens that
//! this person gave to this application, including those in other dashboards.

mod connection;

use entities::{GuildId, Timestamp};
use runtime::{CHAT_CLIENT_SECRET, Secret};
use serde::Deserialize;

use connection::{ConnectionBody, proven};

use crate::chat::ChatUser;
use crate::error::PlatformError;
use crate::exchange::Http;
use crate::guild_access::manages;
use crate::oauth::{Application, Attempt, Begun, Provider, Result, SignInError};
use crate::pacing::Pacer;
use crate::permissions::Permissions;
use crate::play::Player;
use crate::routes::chat as routes;

/// The authorization page, on the host that also serves the API.
const AUTHORIZE_PATH: &str = "/oauth2/authorize";
const SCOPES: &[&str] = &["identify", "guilds"];
const CONNECTIONS: &str = "connections";
/// The console binds attempts to browsers.
const NO_OWNER: &str = "";
const LONGEST_TOKEN: usize = 512;

/// The application that people sign in with on the chat platform.
pub struct SignIn {
    application: Application,
    base: String,
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
        let provider = Provider {
            authorize: format!("{host}{AUTHORIZE_PATH}"),
            token: format!("{base}/oauth2/token"),
            token_route: routes::TOKEN,
            scopes: SCOPES,
            longest_token: LONGEST_TOKEN,
            variable: CHAT_CLIENT_SECRET,
        };
        Ok(Self { application: Application::new(http, pacer, provider, id, secret)?, base })
    }

    /// A new attempt, which comes back to `redirect` with `code` and `state`, or with `error` and `state`
    /// ([`SignInError::of_callback`]).
    pub fn authorize_url(&self, redirect: &str, now: Timestamp) -> Attempt {
        self.application.attempt(redirect, &[], NO_OWNER, now)
    }

    /// The same for [`SignIn::finish_with_connections`]: the person is also asked for their connections.
    pub fn authorize_url_with_connections(&self, redirect: &str, now: Timestamp) -> Attempt {
        self.application.attempt(redirect, &[CONNECTIONS], NO_OWNER, now)
    }

    /// The attempt of a browser's callback: `None` unless it was begun here and has not expired.
    pub fn begun(&self, state: &str, verifier: &str, now: Timestamp) -> Option<Begun> {
        self.application.begun(state, verifier, NO_OWNER, now)
    }

    /// The person who authorized the attempt. `redirect` as in [`SignIn::authorize_url`]. The caller limits attempts.
    pub async fn finish(&self, code: &str, begun: &Begun, redirect: &str) -> Result<Person> {
        let tokens = self.application.exchange(code, begun, redirect).await?;
        self.person(&tokens.access).await
    }

    /// The same, and the accounts on the game platform that the chat platform has verified to be theirs.
    pub async fn finish_with_connections(
        &self,
        code: &str,
        begun: &Begun,
        redirect: &str,
    ) -> Result<(Person, Vec<Player>)> {
        let token = self.application.exchange(code, begun, redirect).await?.access;
        let url = self.url("/users/@me/connections");
        let connections = self.application.read::<Vec<ConnectionBody>>(routes::OWN_CONNECTIONS, &url, &token);
        let (person, connections) = tokio::try_join!(self.person(&token), connections)?;
        Ok((person, proven(connections)))
    }

    async fn person(&self, token: &str) -> Result<Person> {
        let (user, guilds) = (self.url("/users/@me"), self.url("/users/@me/guilds"));
        let user = self.application.read(routes::CURRENT_USER, &user, token);
        let guilds = self.application.read::<Vec<OwnGuild>>(routes::OWN_GUILDS, &guilds, token);
        let (user, guilds) = tokio::try_join!(user, guilds)?;
        let manages = guilds.iter().filter(|guild| manages(guild.owner, guild.permissions));
        Ok(Person { user, manages: manages.map(|guild| guild.id).collect() })
    }

    /// The person who gave another dashboard this access token, if it was given to our application.
    ///
    /// The platform bans an address that sends it too many invalid tokens: the caller limits attempts.
    pub async fn user_of(&self, access_token: &str) -> Result<ChatUser> {
        let url = self.url("/oauth2/@me");
        let AuthorizationBody { application, user } =
            self.application.read(routes::AUTHORIZATION, &url, access_token).await?;
        user.filter(|_| application.id == self.application.id).ok_or(SignInError::Unauthorized)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
