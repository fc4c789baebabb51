//! Why a sign-in or an access token was refused.

use runtime::{CHAT_CLIENT_SECRET, PLAY_CLIENT_SECRET};
use serde::Deserialize;
use serde_json::Value;

use crate::answer;
use crate::error::{Missing, PlatformError, Refusal};
use crate::exchange::Response;
use crate::oauth::id_token::IdTokenError;
use crate::routes::{chat, play};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// The person pressed Cancel.
    #[error("the person did not authorize the sign-in")]
    Denied,
    /// The code is unknown, used or expired, or belongs to another attempt: the person starts again.
    #[error("the sign-in has expired or was finished before")]
    CodeRefused,
    /// The access token is unknown, expired or revoked, belongs to another application, or hides its owner.
    #[error("the access token is not valid for this application")]
    Unauthorized,
    /// Somebody else's token, or a platform that is not what it says. The person may start again.
    #[error("the ID token cannot be accepted: {0}")]
    IdToken(#[from] IdTokenError),
    /// The platform is away, or refuses the application.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

/// The platform's two forms of an error: OAuth 2's (`error`, `error_description`), and that of its API.
#[derive(Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    message: String,
}

impl SignInError {
    /// The meaning of `error` in a callback of the chat platform.
    pub fn of_callback(error: &str) -> Self {
        Self::reported(error, chat::AUTHORIZE, CHAT_CLIENT_SECRET)
    }

    /// The same for the game platform.
    pub fn of_play_callback(error: &str) -> Self {
        Self::reported(error, play::AUTHORIZE, PLAY_CLIENT_SECRET)
    }

    fn reported(error: &str, route: &'static str, variable: &'static str) -> Self {
        match error {
            "access_denied" => Self::Denied,
            "server_error" | "temporarily_unavailable" => {
                PlatformError::unavailable(route, "the platform reports a failure").into()
            }
            other => refusal(0, other.to_owned(), variable).classify(route, 400).into(),
        }
    }
}

/// Whose credential a call carried: what a refusal means depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Credential {
    /// The secret of the application.
    Application,
    /// An access token of a person.
    AccessToken,
}

/// An unsuccessful answer. `variable` holds the application's secret.
pub(super) fn refused(
    route: &'static str,
    answer: &Response,
    credential: Credential,
    variable: &'static str,
) -> SignInError {
    if let (_, Some(retry_after)) = answer::read(answer.status, &answer.headers, &answer.body) {
        return PlatformError::RateLimited { retry_after }.into();
    }
    let ErrorBody { error, error_description, code, message } =
        serde_json::from_slice(&answer.body).unwrap_or_default();
    // The game platform's codes are words.
    let refusal = |message| refusal(code.as_i64().unwrap_or_default(), message, variable);
    match (answer.status, error.as_str()) {
        (401, _) if credential == Credential::AccessToken => SignInError::Unauthorized,
        (400, "invalid_grant") => SignInError::CodeRefused,
        // The code or verifier is malformed.
        (400, "invalid_request") if error_description.contains("\"code") => SignInError::CodeRefused,
        (400 | 401, "invalid_client" | "unauthorized_client") => PlatformError::Unauthorized(variable).into(),
        (status, "") => refusal(message).classify(route, status).into(),
        (status, _) => refusal(format!("{error}: {error_description}")).classify(route, status).into(),
    }
}

fn refusal(code: i64, message: String, variable: &'static str) -> Refusal {
    Refusal { code, message, missing: Missing::Other, credential: variable }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::HeaderMap;

    use super::*;
    use crate::routes::chat as routes;

    fn of(route: &'static str, status: u16, body: &str) -> SignInError {
        let answer = Response { status, headers: HeaderMap::new(), body: body.to_owned().into() };
        let credential =
            if route == routes::TOKEN { Credential::Application } else { Credential::AccessToken };
        refused(route, &answer, credential, CHAT_CLIENT_SECRET)
    }

    #[test]
    fn each_refusal_has_its_meaning() {
        for body in [
            r#"{"error":"invalid_grant","error_description":"Invalid \"code\" in request."}"#,
            r#"{"error":"invalid_request","error_description":"Invalid \"code\" in request."}"#,
            r#"{"error":"invalid_request","error_description":"Invalid \"code_verifier\""}"#,
        ] {
            assert_eq!(of(routes::TOKEN, 400, body), SignInError::CodeRefused, "{body}");
        }
        let wrong_secret = SignInError::Platform(PlatformError::Unauthorized("GUILDHALL_CHAT_CLIENT_SECRET"));
        for body in [r#"{"error":"invalid_client"}"#, r#"{"code":0,"message":"401: Unauthorized"}"#, "<html>"]
        {
            assert_eq!(of(routes::TOKEN, 401, body), wrong_secret, "{body}");
        }
        let redirect = r#"{"error":"invalid_request","error_description":"Invalid\n\"redirect_uri\"."}"#;
        let message = r#"invalid_request: Invalid"redirect_uri"."#.to_owned();
        assert_eq!(of(routes::TOKEN, 400, redirect), PlatformError::Invalid { code: 0, message }.into());
        for route in [routes::CURRENT_USER, routes::OWN_GUILDS, routes::AUTHORIZATION] {
            assert_eq!(
                of(route, 401, r#"{"code":0,"message":"401: Unauthorized"}"#),
                SignInError::Unauthorized
            );
        }
        let refused = PlatformError::Forbidden { code: 50_001, message: "Missing Access".into() };
        let word = PlatformError::Forbidden { code: 0, message: "m".into() };
        assert_eq!(of(routes::AUTHORIZATION, 403, r#"{"code":"DENIED","message":"m"}"#), word.into());
        let body = r#"{"code":50001,"message":"Missing Access"}"#;
        assert_eq!(of(routes::AUTHORIZATION, 403, body), refused.into());
    }

    #[test]
    fn a_platform_that_is_away_or_busy_is_retryable() {
        for (route, status) in [(routes::TOKEN, 500), (routes::CURRENT_USER, 503), (routes::TOKEN, 302)] {
            let error = of(route, status, "<html>");
            assert!(matches!(&error, SignInError::Platform(away) if away.is_retryable()), "{error}");
        }
        let limited = of(routes::TOKEN, 429, r#"{"retry_after":2.5}"#);
        let retry_after = Duration::from_millis(2_500);
        assert_eq!(limited, PlatformError::RateLimited { retry_after }.into());
    }

    #[test]
    fn a_callback_says_who_ended_the_attempt() {
        assert_eq!(SignInError::of_callback("access_denied"), SignInError::Denied);
        let away = SignInError::of_callback("temporarily_unavailable");
        assert!(matches!(away, SignInError::Platform(PlatformError::Unavailable { .. })), "{away}");
        let play = SignInError::of_play_callback("server_error").to_string();
        assert!(play.contains("GET /oauth/v1/authorize"), "{play}");
        let wrong = SignInError::of_callback("invalid_scope\r\n");
        let expected = PlatformError::Invalid { code: 0, message: "invalid_scope".into() };
        assert_eq!(wrong, expected.into());
    }
}
