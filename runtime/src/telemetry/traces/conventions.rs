//! Names, kinds and attributes of the semantic conventions of OpenTelemetry, given to spans on their way to the collector:
//! so the spans stay those of the log, and translation costs requests nothing.
//!
//! `url.path` and `url.full` are left out on purpose: paths may name people and hold tokens.

use opentelemetry::trace::SpanKind;
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::trace::SpanData;

/// The methods that the conventions know.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const METHOD: &str = "http.request.method";
const UNMATCHED: &str = "unmatched";

pub(super) fn apply(mut span: SpanData) -> SpanData {
    // The span has it already.
    take(&mut span, "trace_id");
    match &*span.name {
        "request" => request(&mut span),
        "call" => call(&mut span),
        "job" => job(&mut span),
        "platform" => platform(&mut span),
        _ => {}
    }
    span
}

fn request(span: &mut SpanData) {
    span.span_kind = SpanKind::Server;
    let sent = take(span, "http.method").unwrap_or_default();
    let known = METHODS.contains(&&*sent);
    let route = text(span, "http.route").filter(|route| route != UNMATCHED);
    if route.is_none() {
        take(span, "http.route");
    }
    let verb = if known { &*sent } else { "HTTP" };
    span.name = route.map_or_else(|| verb.to_owned(), |route| format!("{verb} {route}")).into();
    if known {
        add(span, METHOD, sent);
    } else {
        add(span, METHOD, "_OTHER");
        add(span, "http.request.method_original", sent);
    }
}

/// A page that calls the API in the same process.
fn call(span: &mut SpanData) {
    if let (Some(method), Some(route)) = (text(span, "call.method"), text(span, "call.route")) {
        span.name = format!("{method} {route}").into();
    }
}

/// The kind of a job is what the conventions call its destination.
fn job(span: &mut SpanData) {
    span.span_kind = SpanKind::Consumer;
    let (kind, id) = (text(span, "job.kind").unwrap_or_default(), text(span, "job.id").unwrap_or_default());
    span.name = format!("process {kind}").into();
    add(span, "messaging.system", "guildhall");
    add(span, "messaging.operation.name", "process");
    add(span, "messaging.operation.type", "process");
    add(span, "messaging.destination.name", kind);
    add(span, "messaging.message.id", id);
}

fn platform(span: &mut SpanData) {
    span.span_kind = SpanKind::Client;
    if let (Some(method), Some(template)) = (text(span, METHOD), text(span, "url.template")) {
        span.name = format!("{method} {template}").into();
    }
}

fn add(span: &mut SpanData, name: &'static str, value: impl Into<Value>) {
    span.attributes.push(KeyValue::new(name, value));
}

fn text(span: &SpanData, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key.as_str() == name)?;
    Some(found.value.to_string())
}

fn take(span: &mut SpanData, name: &str) -> Option<String> {
    let found = text(span, name);
    span.attributes.retain(|attribute| attribute.key.as_str() != name);
    found
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{Span, Tracer, TracerProvider};
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;

    fn applied(name: &'static str, fields: &[(&'static str, &'static str)]) -> SpanData {
        let mut span = SdkTracerProvider::builder().build().tracer("test").start(name);
        span.set_attributes(fields.iter().map(|(name, value)| KeyValue::new(*name, *value)));
        apply(span.exported_data().unwrap())
    }

    #[test]
    fn a_method_that_is_none_and_a_path_without_a_route_do_not_make_names() {
        let odd =
            applied("request", &[("http.method", "BREW"), ("http.route", "unmatched"), ("trace_id", "1")]);
        assert_eq!((&*odd.name, odd.span_kind.clone()), ("HTTP", SpanKind::Server));
        let attributes = [(METHOD, "_OTHER"), ("http.request.method_original", "BREW")];
        assert_eq!(odd.attributes, attributes.map(|(name, value)| KeyValue::new(name, value)));
    }

    #[test]
    fn spans_have_the_names_of_the_conventions() {
        for (span, name) in [
            (applied("request", &[("http.method", "GET"), ("http.route", "/bans")]), "GET /bans"),
            (applied("call", &[("call.method", "PUT"), ("call.route", "/bans")]), "PUT /bans"),
            (applied("job", &[("job.kind", "sync_all")]), "process sync_all"),
            (applied("platform", &[(METHOD, "GET"), ("url.template", "/users/:user")]), "GET /users/:user"),
            (applied("other", &[]), "other"),
        ] {
            assert_eq!(span.name, name);
        }
    }
}
