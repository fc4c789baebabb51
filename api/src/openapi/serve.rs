//! `GET /openapi.json`, `/docs` and its two files: the document, generated once, and the page that shows it. `/` says what
//! this server is.

use std::sync::LazyLock;

use bytes::Bytes;
use http::{HeaderValue, Response, header};

use crate::openapi::document;
use crate::response::error::ApiError;

/// The page may load resources of this server only.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
const HOME: &str = include_str!("page/home.html");
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

static DOCUMENT: LazyLock<Result<Bytes, String>> = LazyLock::new(|| {
    // Converted to a value first, so that the order of fields is the same in every process.
    let document = serde_json::to_value(document::build());
    document.map(|document| document.to_string().into()).map_err(|error| error.to_string())
});

pub(crate) fn document() -> Result<Response<Bytes>, ApiError> {
    let text = DOCUMENT.clone().map_err(ApiError::internal)?;
    Ok(file(text, "application/json"))
}

pub(crate) fn home() -> Response<Bytes> {
    file(Bytes::from_static(HOME.as_bytes()), "text/html; charset=utf-8")
}

pub(crate) fn page() -> Response<Bytes> {
    file(Bytes::from_static(PAGE.as_bytes()), "text/html; charset=utf-8")
}

pub(crate) fn style() -> Response<Bytes> {
    file(Bytes::from_static(STYLE.as_bytes()), "text/css; charset=utf-8")
}

pub(crate) fn script() -> Response<Bytes> {
    file(Bytes::from_static(SCRIPT.as_bytes()), "text/javascript; charset=utf-8")
}

fn file(body: Bytes, content_type: &'static str) -> Response<Bytes> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
