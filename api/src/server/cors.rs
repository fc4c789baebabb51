//! Cross-origin requests of other dashboards: off unless an operator configures their origins (docs/rules.md 8).

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};

use crate::response::payload::Payload;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, idempotency-key, if-none-match, prefer, x-api-key, x-guild-id, x-request-id, x-guildhall-stale",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "etag, idempotent-replayed, link, location, preference-applied, retry-after, x-guildhall-stale, \
     x-ratelimit-bucket, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset-after, x-request-id",
);
/// Seconds for which a browser caches a preflight response.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origin of a request, if it is allowed.
pub(crate) fn allowed(headers: &HeaderMap, origins: &[String]) -> Option<HeaderValue> {
    let sent = headers.get(header::ORIGIN)?;
    origins.iter().any(|origin| sent.as_bytes() == origin.as_bytes()).then(|| sent.clone())
}

/// The response to a preflight request; `None` for any other request.
pub(crate) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response<Payload>> {
    if *method != Method::OPTIONS || !headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let mut response = Response::new(Payload::Own(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    Some(response)
}

/// Lets this origin read the response.
pub(crate) fn open(origin: HeaderValue, response: &mut Response<Payload>) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
