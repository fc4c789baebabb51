//! The only error type of the API and its only mapping to the envelope (docs/rules.md 2).
//!
//! `message` is public. The cause of a 500 or of a failed dependency is logged once, where the response is sent; it is
//! never shown.

use std::borrow::Cow;

use entities::JobId;
use http::StatusCode;
use runtime::{Decision, Rate, Sharer};
use serde_json::Value;

use crate::limits::rate_limit::{RateLimit, Window};

/// Seconds until a retry makes sense, if a failed dependency gives no hint.
const RETRY_DEPENDENCY: u64 = 5;
/// An idempotent request in progress ends soon.
const RETRY_RUNNING: u64 = 1;
/// Characters of a refused value that the error repeats.
const SENT_MAX: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    Conflict,
    TooLarge,
    UriTooLong,
    HeadTooLarge,
    MediaType,
    Rule,
    UpgradeRequired,
    TooMany,
    Internal,
    BadGateway,
    Unavailable,
}

impl Kind {
    /// The status and the default error code.
    pub(crate) fn row(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request_timeout"),
            Self::Conflict => (StatusCode::CONFLICT, "conflict"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::UriTooLong => (StatusCode::URI_TOO_LONG, "uri_too_long"),
            Self::HeadTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "head_too_large"),
            Self::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::Rule => (StatusCode::UNPROCESSABLE_ENTITY, "unprocessable"),
            Self::UpgradeRequired => (StatusCode::UPGRADE_REQUIRED, "upgrade_required"),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            Self::BadGateway => (StatusCode::BAD_GATEWAY, "bad_gateway"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        }
    }

    /// The kind for a job failure's status; a status outside our table is a bug.
    pub(super) fn of_status(status: u16) -> Self {
        let all = [Self::BadRequest, Self::Forbidden, Self::NotFound, Self::Conflict, Self::Rule];
        let all = all.into_iter().chain([Self::TooMany, Self::BadGateway, Self::Unavailable]);
        all.into_iter().find(|kind| kind.row().0.as_u16() == status).unwrap_or(Self::Internal)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ApiError(pub(super) Box<Inner>);

#[derive(Debug, Clone)]
pub(crate) struct Inner {
    pub(crate) kind: Kind,
    pub(crate) word: Cow<'static, str>,
    pub(crate) message: Cow<'static, str>,
    pub(crate) retry_after: Option<u64>,
    /// Methods for the `Allow` header.
    pub(crate) allow: Option<String>,
    /// The exceeded window, if it is not the one that admission checked.
    pub(crate) window: Option<Window>,
    /// The job that used the window.
    pub(crate) job: Option<JobId>,
    /// It answers a repeat under the same `Idempotency-Key`.
    pub(crate) replayed: bool,
    /// The transaction conflicted with another one and was rolled back: the call may be repeated.
    pub(crate) repeatable: bool,
    /// For the log only.
    pub(crate) cause: Option<String>,
}

impl ApiError {
    pub(super) fn new(kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        let retry_after = matches!(kind, Kind::BadGateway | Kind::Unavailable | Kind::TooMany);
        Self(Box::new(Inner {
            kind,
            word: kind.row().1.into(),
            message: message.into(),
            retry_after: retry_after.then_some(RETRY_DEPENDENCY),
            allow: None,
            window: None,
            job: None,
            replayed: false,
            repeatable: false,
            cause: None,
        }))
    }

    pub(super) fn word(mut self, word: impl Into<Cow<'static, str>>) -> Self {
        self.0.word = word.into();
        self
    }

    pub(super) fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds.max(1));
        self
    }

    pub(crate) fn cause(mut self, cause: impl ToString) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    pub(crate) fn replayed(mut self) -> Self {
        self.0.replayed = true;
        self
    }

    pub(crate) fn kind(&self) -> Kind {
        self.0.kind
    }

    pub(crate) fn parts(&self) -> &Inner {
        &self.0
    }

    /// 400: the body as a whole.
    pub(crate) fn body(word: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::BadRequest, message).word(word)
    }

    /// 400: a field, parameter or header with a value that is not allowed.
    pub(crate) fn field(name: &str, sent: &Value, allowed: &str) -> Self {
        let message = format!("`{name}` must be {allowed}; sent: {}", shortened(sent));
        Self::new(Kind::BadRequest, message).word("invalid_field")
    }

    pub(crate) fn missing(name: &str, allowed: &str) -> Self {
        Self::new(Kind::BadRequest, format!("`{name}` is missing; it must be {allowed}"))
            .word("missing_field")
    }

    /// 401
    pub(crate) fn key(word: &'static str, message: &'static str) -> Self {
        Self::new(Kind::Unauthorized, message).word(word)
    }

    /// 403
    pub(crate) fn forbidden(word: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Forbidden, message).word(word)
    }

    /// 404: the object does not exist, or belongs to another guild.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(Kind::NotFound, format!("no such {what}"))
    }

    pub(crate) fn not_linked() -> Self {
        Self::new(Kind::NotFound, "this user is not linked").word("not_linked")
    }

    pub(crate) fn unknown_player() -> Self {
        Self::new(Kind::NotFound, "the game platform knows no player with this `play_id`")
            .word("unknown_player")
    }

    pub(crate) fn unknown_player_name() -> Self {
        Self::new(Kind::NotFound, "the game platform knows no player with this `play_username`")
            .word("unknown_player")
    }

    pub(crate) fn not_a_member() -> Self {
        Self::new(Kind::NotFound, "this user is not a member of the guild").word("not_a_member")
    }

    pub(crate) fn wrong_code() -> Self {
        Self::new(Kind::NotFound, "no attempt to link waits for this code").word("wrong_code")
    }

    pub(crate) fn no_such_path() -> Self {
        Self::new(Kind::NotFound, "no such path").word("no_such_path")
    }

    pub(crate) fn method_not_allowed(allow: String) -> Self {
        let mut error = Self::new(Kind::MethodNotAllowed, format!("this path takes {allow}"));
        error.0.allow = Some(allow);
        error
    }

    pub(crate) fn body_timeout() -> Self {
        Self::new(Kind::RequestTimeout, "the body did not arrive in time")
    }

    pub(crate) fn body_too_large(limit: usize) -> Self {
        Self::new(Kind::TooLarge, format!("the body may have at most {limit} bytes"))
    }

    pub(crate) fn uri_too_long() -> Self {
        Self::new(Kind::UriTooLong, "the path and query of this request are too long")
    }

    pub(crate) fn head_too_large() -> Self {
        Self::new(Kind::HeadTooLarge, "the headers of this request are too many or too long")
    }

    pub(crate) fn media_type(sent: &str) -> Self {
        let message = format!("the content type must be application/json; sent: {}", shortened(&sent.into()));
        Self::new(Kind::MediaType, message)
    }

    pub(crate) fn content_encoding(sent: &str) -> Self {
        let message =
            format!("the content encoding must be gzip, or none; sent: {}", shortened(&sent.into()));
        Self::new(Kind::MediaType, message).word("unsupported_content_encoding")
    }

    /// 409
    pub(crate) fn conflict(word: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Conflict, message).word(word)
    }

    /// 409: the first request under this idempotency key is still running.
    pub(crate) fn still_running() -> Self {
        Self::conflict("still_running", "the first request with this Idempotency-Key is still running")
            .retry_after(RETRY_RUNNING)
    }

    /// 422: well-formed, but it breaks a rule.
    pub(crate) fn rule(word: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Rule, message).word(word)
    }

    /// 426: this path accepts WebSocket only.
    pub(crate) fn upgrade_required() -> Self {
        Self::new(Kind::UpgradeRequired, "this path needs an upgrade to WebSocket, version 13")
    }

    /// The rate limit, for the headers of the response.
    pub(crate) fn window(mut self, window: Option<Window>) -> Self {
        self.0.window = window;
        self
    }

    pub(crate) fn over_limit(limit: RateLimit, decision: Decision) -> Self {
        Self::new(Kind::TooMany, "rate limit exceeded")
            .retry_after(decision.reset_after_secs())
            .window(Some((limit, decision)))
    }

    /// Servers of a key come back one after the other, in the first sixth of the next window.
    pub(crate) fn spread(self, server: Option<Sharer>, rate: Rate) -> Self {
        let most = rate.window.as_secs() / 6 + 1;
        let later = server.map_or(0, |server| server.0 % most);
        let after = self.0.retry_after.unwrap_or_default();
        self.retry_after(after + later)
    }

    /// Names the last job that used the window.
    pub(crate) fn used_by(mut self, job: Option<JobId>, what: &str) -> Self {
        let by = job.map_or_else(String::new, |job| format!(", and job {job} used it"));
        self.0.message = format!("rate limit exceeded: {what}{by}").into();
        self.0.job = job;
        self
    }

    pub(crate) fn too_many_failures(seconds: u64) -> Self {
        Self::new(Kind::TooMany, "too many requests without a valid key from this address")
            .word("too_many_failures")
            .retry_after(seconds)
    }

    pub(crate) fn too_many_codes(seconds: u64) -> Self {
        Self::new(Kind::TooMany, "this player typed too many wrong codes")
            .word("too_many_codes")
            .retry_after(seconds)
    }

    /// 500
    pub(crate) fn internal(cause: impl ToString) -> Self {
        Self::new(Kind::Internal, "something went wrong on our side; the request id finds it in the log")
            .cause(cause)
    }

    /// 503
    pub(crate) fn unavailable(word: &'static str, message: &'static str) -> Self {
        Self::new(Kind::Unavailable, message).word(word)
    }
}

/// The result of a look-up, or a 404.
pub(crate) trait OrNotFound<T> {
    fn or_not_found(self, what: &str) -> Result<T, ApiError>;
}

impl<T> OrNotFound<T> for Option<T> {
    fn or_not_found(self, what: &str) -> Result<T, ApiError> {
        self.ok_or_else(|| ApiError::not_found(what))
    }
}

/// A refused value as JSON, short enough for a message.
fn shortened(sent: &Value) -> String {
    let text = sent.to_string();
    match text.char_indices().nth(SENT_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Seconds, rounded up: the value of `Retry-After`.
pub(crate) fn whole_seconds(pause: std::time::Duration) -> u64 {
    pause.as_secs() + u64::from(pause.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests;
