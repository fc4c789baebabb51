//! Data about a request, collected while it runs; used for response headers, one log line and metrics.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use metrics::Histogram;
use runtime::AccessLog;
use runtime::telemetry::{SPANS, traces};
use tracing::{Span, field};

use crate::limits::rate_limit::Window;
use crate::response::error::{ApiError, Kind};
use crate::response::payload::Payload;
use crate::response::reply::{Reply, render_error};
use crate::server::correlation::{REQUEST_ID, request_id, traceparent};

const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET_AFTER: HeaderName = HeaderName::from_static("x-ratelimit-reset-after");
const RATE_BUCKET: HeaderName = HeaderName::from_static("x-ratelimit-bucket");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const STALE: HeaderName = HeaderName::from_static("x-guildhall-stale");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const BY_KEY: HeaderValue = HeaderValue::from_static("authorization, x-api-key");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The route of requests that matched no row.
pub(crate) const UNMATCHED: &str = "unmatched";
const OTHER: &str = "_OTHER";

/// Most answers have so many, and their map does not grow.
const USUAL_HEADERS: usize = 12;

/// Route, method and status. Nothing that a client can choose freely: a series is never dropped.
type Series = (&'static str, &'static str, StatusCode);

/// The name of a method that some route has; all others share one name, that of OpenTelemetry.
fn label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => OTHER,
    }
}

/// The durations of each series, which are the process's: to look one up by its labels costs as much as a whole check.
static SERIES: LazyLock<RwLock<HashMap<Series, Histogram>>> = LazyLock::new(RwLock::default);

#[derive(Clone)]
pub(crate) struct RequestLog {
    pub(crate) request_id: Arc<str>,
    pub(crate) method: Method,
    /// The row's path, never the request's.
    pub(crate) route: &'static str,
    /// The span of the request, once its route is known.
    pub(crate) span: Span,
    /// Of the span, where traces are on.
    pub(crate) trace_id: Option<String>,
    /// The rate limit that applied to this request, once known.
    pub(crate) window: Option<Window>,
    /// The lines of the access log, and the client, where there is one.
    pub(crate) access: Option<(AccessLog, IpAddr)>,
    /// The public id of its key, for the access log.
    pub(crate) key: Option<Box<str>>,
    started: Instant,
}

impl RequestLog {
    pub(crate) fn new(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            request_id: request_id(headers),
            method: method.clone(),
            route: UNMATCHED,
            span: Span::none(),
            trace_id: None,
            window: None,
            access: None,
            key: None,
            started: Instant::now(),
        }
    }

    /// Opens the span, in the trace of the client if it names one. Each line below it carries its fields, and none repeats
    /// them.
    pub(crate) fn open_span(&mut self, route: &'static str, headers: &HeaderMap) {
        self.span = tracing::error_span!(
            target: SPANS,
            parent: None,
            "request",
            request.id = &*self.request_id,
            http.method = self.method.as_str(),
            http.route = route,
            guild.id = field::Empty,
            job.id = field::Empty,
            trace_id = field::Empty,
        );
        // Each request pays for the look into its headers.
        if traces::is_on() {
            self.trace_id = traces::begin(&self.span, traceparent(headers));
        }
    }

    /// The response, logged and counted.
    pub(crate) fn finish(&mut self, result: Result<Reply, ApiError>) -> Response<Payload> {
        if self.span.is_none() {
            self.open_span(UNMATCHED, &HeaderMap::new());
        }
        let rendered = result.and_then(|mut reply| {
            let body = reply.payload()?;
            Ok((reply, body))
        });
        let (mut response, cause) = match rendered {
            Ok((reply, body)) => {
                self.override_window(reply.window);
                (success(&reply, body), None)
            }
            Err(error) => {
                self.override_window(error.parts().window);
                (refusal(&error, self), error.parts().cause.clone())
            }
        };
        self.add_headers(response.headers_mut());
        self.end(response.status(), cause.as_deref());
        response
    }

    /// An answer without the envelope, logged and counted.
    pub(crate) fn finish_bare(&self, answer: Response<impl Into<Payload>>) -> Response<Payload> {
        let mut response = answer.map(Into::into);
        insert_text(response.headers_mut(), REQUEST_ID, &self.request_id);
        self.end(response.status(), None);
        response
    }

    fn override_window(&mut self, newer: Option<Window>) {
        self.window = newer.or(self.window);
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        insert_text(headers, REQUEST_ID, &self.request_id);
        // The answer is only for the holder of the key.
        headers.insert(header::CACHE_CONTROL, NO_STORE);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
        headers.append(header::VARY, BY_KEY);
        let Some((limit, decision)) = self.window else { return };
        headers.insert(RATE_LIMIT, decision.limit.into());
        headers.insert(RATE_REMAINING, decision.remaining.into());
        headers.insert(RATE_RESET_AFTER, decision.reset_after_secs().into());
        headers.insert(RATE_BUCKET, HeaderValue::from_static(limit.name()));
    }

    fn end(&self, status: StatusCode, cause: Option<&str>) {
        let took = self.started.elapsed();
        self.log(status, took, cause);
        self.count(status, took);
    }

    /// The line of a failure of ours, or of the access log; the cause of an internal error is logged here only.
    fn log(&self, status: StatusCode, took: Duration, cause: Option<&str>) {
        let code = status.as_u16();
        traces::set(&self.span, "http.response.status_code", i64::from(code));
        if status.is_server_error() {
            traces::fail(&self.span, code.to_string());
        }
        let client = self.access.map(|(_, client)| field::display(client));
        let key = self.key.as_deref();
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        macro_rules! line {
            ($level:ident, $text:literal) => {
                tracing::$level!(
                    parent: &self.span,
                    status = code,
                    duration_ms,
                    key.id = key,
                    client,
                    cause,
                    $text
                )
            };
        }
        match code {
            500 => line!(error, "request failed"),
            501.. => line!(warn, "request not served: a dependency is down"),
            _ if self.access.is_some_and(|(lines, _)| lines.has(status)) => line!(info, "request answered"),
            _ => line!(debug, "request answered"),
        }
    }

    fn count(&self, status: StatusCode, took: Duration) {
        // Any method may be sent to a path that does not exist, and to one that lacks it.
        let unmatched = self.route == UNMATCHED || status == StatusCode::METHOD_NOT_ALLOWED;
        let series = (self.route, if unmatched { OTHER } else { label(&self.method) }, status);
        if let Some(known) = SERIES.read().unwrap_or_else(PoisonError::into_inner).get(&series) {
            return known.record(took);
        }
        let made = Self::series(&series);
        made.record(took);
        SERIES.write().unwrap_or_else(PoisonError::into_inner).insert(series, made);
    }

    fn series(&(route, method, status): &Series) -> Histogram {
        metrics::histogram!(
            "http_server_request_duration_seconds",
            "http_request_method" => method,
            // TLS, if there is any, ends before this process.
            "url_scheme" => "http",
            "http_route" => route,
            "http_response_status_code" => status.as_str().to_owned(),
        )
    }
}

fn success(reply: &Reply, body: Payload) -> Response<Payload> {
    let mut response = Response::new(body);
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.reserve(USUAL_HEADERS);
    match reply.upgrade_headers() {
        Some(upgrade) => headers.extend(upgrade.clone()),
        None => drop(headers.insert(header::CONTENT_TYPE, JSON)),
    }
    for (name, text) in [
        (header::LOCATION, &reply.location),
        (header::LINK, &reply.next_page),
        (header::ETAG, &reply.etag),
        (PREFERENCE_APPLIED, &reply.preference),
    ] {
        if let Some(text) = text {
            insert_text(headers, name, text);
        }
    }
    if reply.stale {
        headers.insert(STALE, HeaderValue::from_static("true"));
    }
    if reply.replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn refusal(error: &ApiError, log: &RequestLog) -> Response<Payload> {
    let parts = error.parts();
    let mut response =
        Response::new(Payload::Own(render_error(error, &log.request_id, log.trace_id.as_deref()).into()));
    *response.status_mut() = parts.kind.row().0;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    if parts.replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    if let Some(seconds) = parts.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = &parts.allow {
        insert_text(headers, header::ALLOW, allow);
    }
    match parts.kind {
        Kind::Unauthorized => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Kind::UpgradeRequired => {
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
            headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        }
        _ => {}
    }
    response
}

/// Our own or validated texts: always valid header values.
fn insert_text(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}
