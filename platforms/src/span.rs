//! The span of one call, where traces are on. The address of the call is not in it: it names people and may hold a token.

use reqwest::Request;
use runtime::telemetry::{SPANS, traces};
use tracing::Span;

pub(crate) fn of(platform: &'static str, route: &'static str, request: &Request) -> Span {
    if !traces::is_on() {
        return Span::none();
    }
    let url = request.url();
    tracing::error_span!(
        target: SPANS,
        "platform",
        platform,
        http.request.method = request.method().as_str(),
        url.template = route.split_once(' ').map_or(route, |(_method, path)| path),
        server.address = url.host_str(),
        server.port = url.port_or_known_default().map(i64::from),
    )
}

/// With the status of the answer, or the kind of failure.
pub(crate) fn end(span: &Span, answered: Result<u16, &'static str>) {
    match answered {
        Ok(status) => {
            traces::set(span, "http.response.status_code", i64::from(status));
            if status >= 400 {
                traces::fail(span, status.to_string());
            }
        }
        Err(cause) => traces::fail(span, cause),
    }
}
