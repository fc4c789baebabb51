//! What a page answers: HTML, a redirect after a form, a file. And the headers that all of them carry.

use askama::Template;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use crate::cookies::{self, Said};

/// Only resources of this server, no frames, no foreign forms.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
    location: Option<String>,
    cookies: Vec<HeaderValue>,
    /// Kept by browsers; otherwise nothing keeps it.
    kept: bool,
    attachment: Option<String>,
}

impl Answer {
    fn new(status: StatusCode, content_type: &'static str, body: Bytes) -> Self {
        Self {
            status,
            content_type,
            body,
            location: None,
            cookies: Vec::new(),
            kept: false,
            attachment: None,
        }
    }

    /// A page; what was said by it is not said again.
    pub(crate) fn page(template: &impl Template) -> Result<Self, PageError> {
        let html = template.render().map_err(PageError::internal)?;
        Ok(Self::new(StatusCode::OK, "text/html; charset=utf-8", html.into()))
    }

    pub(crate) fn text(status: StatusCode, text: String) -> Self {
        Self::new(status, "text/plain", text.into())
    }

    pub(crate) fn file(content_type: &'static str, body: Bytes) -> Self {
        Self { kept: true, ..Self::new(StatusCode::OK, content_type, body) }
    }

    /// A file for the person's disk.
    pub(crate) fn download(name: String, content_type: &'static str, body: Bytes) -> Self {
        Self { attachment: Some(name), ..Self::new(StatusCode::OK, content_type, body) }
    }

    /// After a form: the browser asks for this address next.
    pub(crate) fn see(to: impl Into<String>) -> Self {
        let empty = Self::new(StatusCode::SEE_OTHER, "text/plain", Bytes::new());
        Self { location: Some(to.into()), ..empty }
    }

    /// Shown by the next page.
    pub(crate) fn saying(self, said: Said) -> Self {
        self.cookies(cookies::say(said))
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn cookie(self, cookie: Option<HeaderValue>) -> Self {
        self.cookies(cookie)
    }

    pub(crate) fn cookies(mut self, cookies: impl IntoIterator<Item = HeaderValue>) -> Self {
        self.cookies.extend(cookies);
        self
    }

    pub(crate) fn into_response(self) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        let kept = if self.kept { "public, max-age=31536000, immutable" } else { "no-store" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        if let Some(to) = self.location.and_then(|to| HeaderValue::from_str(&to).ok()) {
            headers.insert(header::LOCATION, to);
        }
        let attachment = self.attachment.map(|name| format!("attachment; filename=\"{name}\""));
        if let Some(name) = attachment.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(header::CONTENT_DISPOSITION, name);
        }
        for cookie in self.cookies {
            headers.append(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// The headers of every response.
pub(crate) fn guard(mut response: Response<Bytes>) -> Response<Bytes> {
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
    /// No such page, or one that this person may not know of.
    #[error("it does not exist, or you may not see it")]
    NotFound,
    #[error("nobody is signed in")]
    SignedOut,
    /// A form without its token, or from another site.
    #[error("this form was not sent from a page of this console, or it was open for too long")]
    Forged,
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
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
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
