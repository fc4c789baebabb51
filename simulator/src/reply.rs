//! Responses of the simulator, and the two platforms' error bodies.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::{Either, Full};
use serde_json::{Value, json};

use crate::huge::Huge;

pub(crate) type Body = Either<Full<Bytes>, Huge>;

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) body: Option<Value>,
    /// For a browser: the type of its content, and the content.
    pub(crate) raw: Option<(&'static str, Bytes)>,
    /// Replaces the others.
    pub(crate) huge: Option<Huge>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self { body: Some(body), ..Self::of(status) }
    }

    pub(crate) fn ok(body: Value) -> Self {
        Self::json(200, body)
    }

    /// 200 without a body.
    pub(crate) fn nothing() -> Self {
        Self::of(200)
    }

    pub(crate) fn empty() -> Self {
        Self::of(204)
    }

    pub(crate) fn huge(status: u16, huge: Huge) -> Self {
        Self { huge: Some(huge), ..Self::of(status) }
    }

    pub(crate) fn page(status: u16, html: String) -> Self {
        Self { raw: Some(("text/html; charset=utf-8", html.into())), ..Self::of(status) }
    }

    pub(crate) fn png(picture: &'static [u8]) -> Self {
        Self { raw: Some(("image/png", Bytes::from_static(picture))), ..Self::of(200) }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::of(302).with("location", to)
    }

    fn of(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: None, raw: None, huge: None }
    }

    /// `{"code": 10007, "message": "Unknown Member"}`.
    pub(crate) fn chat_error(status: u16, code: i64, message: &str) -> Self {
        Self::json(status, json!({ "code": code, "message": message }))
    }

    pub(crate) fn chat_unauthorized() -> Self {
        Self::chat_error(401, 0, "401: Unauthorized")
    }

    /// The gateway before the game platform's API uses another format than the API.
    pub(crate) fn play_unauthorized() -> Self {
        Self::json(401, json!({ "errors": [{ "code": 0, "message": "Invalid API Key" }] }))
    }

    /// `{"code": "NOT_FOUND", "message": "..."}`.
    pub(crate) fn play_error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, json!({ "code": code, "message": message }))
    }

    /// 400 of the control side. The message names the field.
    pub(crate) fn bad_control(message: impl Into<String>) -> Self {
        Self::json(400, json!({ "message": message.into() }))
    }

    /// A chat 429: fractions of a second in the body, whole seconds in the header.
    pub(crate) fn chat_limited(retry_after: f64, global: bool) -> Self {
        let body =
            json!({ "message": "You are being rate limited.", "retry_after": retry_after, "global": global });
        let mut reply = Self::json(429, body)
            .with("retry-after", &format!("{:.0}", retry_after.ceil()))
            .with("x-ratelimit-scope", if global { "global" } else { "user" });
        if global {
            reply = reply.with("x-ratelimit-global", "true");
        }
        reply
    }

    /// A game 429, without window headers: see `limits`.
    pub(crate) fn play_limited(retry_after: f64) -> Self {
        Self::play_error(429, "RESOURCE_EXHAUSTED", "Too many requests")
            .with("retry-after", &format!("{:.0}", retry_after.ceil()))
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((HeaderName::from_static(name), value.to_owned()));
        self
    }

    /// The platform's own servers add it behind its edge. Clients take a 429 without it for an address ban by the edge.
    pub(crate) fn passed_the_platform(self) -> Self {
        self.with("via", "1.1 google")
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let is_json = self.body.is_some() || self.huge.is_some();
        let json = || (is_json.then_some("application/json"), self.body.map(|body| body.to_string().into()));
        let (kind, body) = self.raw.map_or_else(json, |(kind, body)| (Some(kind), Some(body)));
        let body: Bytes = body.unwrap_or_default();
        let body = self.huge.map_or_else(|| Body::Left(Full::new(body)), Body::Right);
        let mut response = Response::new(body);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if let Some(kind) = kind {
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        response
    }
}
