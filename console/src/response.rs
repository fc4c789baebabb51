//! The response of a page: HTML, a redirect after a form, a file. And the headers that all of them carry.

pub(crate) mod assets;
pub(crate) mod body;
pub(crate) mod error_page;
pub(crate) mod exports;
pub(crate) mod flash;

use askama::Template;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use people::RightsError;

use body::{Body, Unread};
pub(crate) use flash::{Flash, Undo};

/// Seconds after which a dependency that is away is asked again.
const RETRY_AFTER: u64 = 5;
/// Only resources of this server, no frames, no foreign forms.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

pub(crate) struct Response {
    status: StatusCode,
    content_type: &'static str,
    body: Body,
    location: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// How long browsers may keep it.
    cache: &'static str,
    attachment: Option<String>,
}

impl Response {
    pub(crate) fn new(status: StatusCode, content_type: &'static str, body: Bytes) -> Self {
        Self {
            status,
            content_type,
            body: Body::Whole(body),
            location: None,
            headers: Vec::new(),
            cache: "no-store",
            attachment: None,
        }
    }

    /// A page; its flash is not shown again.
    pub(crate) fn page(template: &impl Template) -> Result<Self, PageError> {
        let html = template.render().map_err(PageError::internal)?;
        Ok(Self::new(StatusCode::OK, "text/html; charset=utf-8", html.into()))
    }

    pub(crate) fn text(status: StatusCode, text: String) -> Self {
        Self::new(status, "text/plain", text.into())
    }

    pub(crate) fn file(content_type: &'static str, body: Bytes) -> Self {
        let cache = "public, max-age=31536000, immutable";
        Self { cache, ..Self::new(StatusCode::OK, content_type, body) }
    }

    /// For this browser alone, for an hour.
    pub(crate) fn picture(content_type: &'static str, body: Bytes) -> Self {
        Self { cache: "private, max-age=3600", ..Self::new(StatusCode::OK, content_type, body) }
    }

    /// A file for the person's disk.
    pub(crate) fn download(name: String, content_type: &'static str, body: Body) -> Self {
        Self { attachment: Some(name), body, ..Self::new(StatusCode::OK, content_type, Bytes::new()) }
    }

    /// After a form: the browser asks for this address next.
    pub(crate) fn see(to: impl Into<String>) -> Self {
        let empty = Self::new(StatusCode::SEE_OTHER, "text/plain", Bytes::new());
        Self { location: Some(to.into()), ..empty }
    }

    /// Shown by the next page.
    pub(crate) fn flash(self, flash: Flash) -> Self {
        self.cookies(flash::set(flash))
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn cookie(self, cookie: Option<HeaderValue>) -> Self {
        self.cookies(cookie)
    }

    pub(crate) fn cookies(mut self, cookies: impl IntoIterator<Item = HeaderValue>) -> Self {
        self.headers.extend(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)));
        self
    }

    /// Headers of an error for programs: when to try again, and with which methods.
    pub(crate) fn of_error(mut self, error: &PageError) -> Self {
        self.status = error.status();
        match error {
            PageError::Busy { retry_after, .. } => {
                self.headers.push((header::RETRY_AFTER, (*retry_after).into()));
            }
            PageError::Method(allowed) => {
                self.headers.push((header::ALLOW, HeaderValue::from_static(allowed)));
            }
            PageError::Unavailable(_) => self.headers.push((header::RETRY_AFTER, RETRY_AFTER.into())),
            _ => {}
        }
        self
    }

    pub(crate) fn into_http(self) -> http::Response<Body> {
        let mut response = http::Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        if let Some(to) = self.location.and_then(|to| HeaderValue::from_str(&to).ok()) {
            headers.insert(header::LOCATION, to);
        }
        let attachment = self.attachment.map(|name| format!("attachment; filename=\"{name}\""));
        if let Some(name) = attachment.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(header::CONTENT_DISPOSITION, name);
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

/// The response with the headers that all carry.
pub(crate) fn with_security_headers(mut response: http::Response<Body>) -> http::Response<Body> {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // With `no-referrer` browsers would send no origin with forms.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// Why there is no page. `error_page` shows it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    /// No such page, or one that this person may not see.
    #[error("it does not exist, or you may not see it")]
    NotFound,
    #[error("you are not signed in")]
    SignedOut,
    /// A form without its token, or from another site.
    #[error("this form was not sent from a page of this console, or it was open for too long")]
    Forged,
    /// The page exists, and takes these methods.
    #[error("this address takes {0}")]
    Method(&'static str),
    /// A form or query that was not read.
    #[error("{}", .0.text)]
    Form(Unread),
    /// The person sends too many requests, or all do; seconds until a retry makes sense.
    #[error("{text}")]
    Busy { status: StatusCode, text: String, retry_after: u64 },
    #[error("{0}")]
    Unavailable(String),
    #[error("something went wrong on our side")]
    Internal(String),
}

impl PageError {
    pub(crate) fn internal(cause: impl std::fmt::Display) -> Self {
        Self::Internal(cause.to_string())
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::SignedOut => StatusCode::SEE_OTHER,
            Self::Forged => StatusCode::FORBIDDEN,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Form(Unread { status, .. }) | Self::Busy { status, .. } => *status,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<RightsError> for PageError {
    fn from(error: RightsError) -> Self {
        match error {
            RightsError::Unavailable => Self::Unavailable(error.to_string()),
            RightsError::Database(error) => error.into(),
        }
    }
}

impl From<sea_orm::DbErr> for PageError {
    fn from(error: sea_orm::DbErr) -> Self {
        if runtime::is_outage(&error) {
            return Self::Unavailable("the database does not answer at the moment".to_owned());
        }
        Self::internal(error)
    }
}
