//! `GET /openapi.json`, `/docs` and its two files: no key, no envelope, no quota. The document is made once.

use std::sync::LazyLock;

use ::http::{HeaderValue, Method, Response, header};
use bytes::Bytes;

use super::{areas, document};
use crate::http::error::ApiError;
use crate::routes::ROUTES;

/// The page may load what this server gives it, and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

static DOCUMENT: LazyLock<Result<Bytes, String>> = LazyLock::new(|| {
    // By way of a value, so that the order of fields is the same in every process.
    let document = serde_json::to_value(document::build(ROUTES, areas()));
    document.map(|document| document.to_string().into()).map_err(|error| error.to_string())
});

/// `None`: another path.
pub(crate) fn answer(method: &Method, path: &str) -> Option<Result<Response<Bytes>, ApiError>> {
    let found = match path {
        "/openapi.json" => DOCUMENT.clone().map(|text| (text, "application/json")),
        "/docs" => Ok((Bytes::from_static(PAGE.as_bytes()), "text/html; charset=utf-8")),
        "/docs/page.css" => Ok((Bytes::from_static(STYLE.as_bytes()), "text/css; charset=utf-8")),
        "/docs/page.js" => Ok((Bytes::from_static(SCRIPT.as_bytes()), "text/javascript; charset=utf-8")),
        _ => return None,
    };
    if *method != Method::GET {
        return Some(Err(ApiError::method_not_allowed("GET, HEAD".to_owned())));
    }
    let response = found.map(|(body, kind)| {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    });
    Some(response.map_err(ApiError::internal))
}
