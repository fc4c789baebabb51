//! Traces by OpenTelemetry of the spans that requests, jobs and platform calls have. Without a
//! collector no layer is installed, and each function here returns at once.

mod conventions;
mod export;
mod traceparent;

use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::trace::{Status, TraceContextExt, TracerProvider};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, SpanExporter as _};
use reqwest::{Client, redirect};
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::config::OtlpConfig;
use crate::error::StartError;
use crate::process_name::ProcessName;
use crate::settings::OTLP_ENDPOINT;
use export::Export;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Of one batch, with its retries: the default of the OTLP exporter.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a process that stops waits for the collector.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Of this process; unset: no traces.
static EXPORT: OnceLock<Export> = OnceLock::new();

/// What makes traces of this process's spans. The sampler is that of `OTEL_TRACES_SAMPLER`.
pub(super) fn start(config: OtlpConfig, role: &'static str) -> Result<SdkTracer, StartError> {
    let unusable = |error: &dyn std::error::Error| {
        StartError::setting(OTLP_ENDPOINT, format!("cannot be used: {error}"))
    };
    // Only the first call installs; the other crates choose the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(EXPORT_TIMEOUT)
        .redirect(redirect::Policy::none())
        .default_headers(config.headers)
        .build()
        .map_err(|error| unusable(&error))?;
    let exporter = SpanExporter::builder().with_http().with_http_client(client);
    let exporter = exporter.with_protocol(Protocol::HttpBinary).with_endpoint(config.traces_url);
    let mut exporter = exporter.build().map_err(|error| unusable(&error))?;
    let resource = resource(role);
    exporter.set_resource(&resource);
    let export = EXPORT.get_or_init(|| Export::start(exporter)).clone();
    let provider = SdkTracerProvider::builder().with_span_processor(export).with_resource(resource).build();
    Ok(provider.tracer("guildhall"))
}

fn resource(role: &'static str) -> Resource {
    let ProcessName { name, version, .. } = ProcessName::new();
    let own = [
        KeyValue::new("service.instance.id", name),
        KeyValue::new("service.version", version),
        KeyValue::new("guildhall.role", role),
    ];
    Resource::builder().with_service_name("guildhall").with_attributes(own).build()
}

/// Takes the spans of one target only; log lines stay in the log.
pub(super) fn layer<S>(tracer: SdkTracer, target: &'static str) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let spans = tracing_opentelemetry::layer().with_tracer(tracer);
    let spans = spans.with_location(false).with_threads(false).with_target(false);
    let spans = spans.with_tracked_inactivity(false).with_context_activation(false);
    spans.with_filter(filter_fn(move |metadata| metadata.is_span() && metadata.target() == target))
}

/// Whether spans become traces.
pub fn is_on() -> bool {
    EXPORT.get().is_some()
}

/// Begins the trace of a new span, or goes on with that of its cause, a W3C `traceparent`; one that is malformed is ignored.
/// Returns the trace's id if it is sampled. The lines of the span carry it too, if it declares the field `trace_id`.
pub fn begin(span: &Span, cause: Option<&str>) -> Option<String> {
    EXPORT.get()?;
    if let Some(cause) = cause.and_then(traceparent::read) {
        // Fails only for a span that no layer knows.
        let _ = span.set_parent(Context::new().with_remote_span_context(cause));
    }
    let context = span.context();
    let own = context.span().span_context().clone();
    let id = (own.is_valid() && own.is_sampled()).then(|| own.trace_id().to_string())?;
    span.record("trace_id", &*id);
    Some(id)
}

/// Links a new span to the one that caused it, a W3C `traceparent`.
pub fn link(span: &Span, cause: Option<&str>) {
    if is_on()
        && let Some(cause) = cause.and_then(traceparent::read)
    {
        span.add_link(cause);
    }
}

/// The W3C `traceparent` of the current span.
pub fn current() -> Option<String> {
    EXPORT.get()?;
    let context = Span::current().context();
    let own = context.span().span_context().clone();
    own.is_valid().then(|| traceparent::write(&own))
}

/// An attribute of the span that its log lines lack.
pub fn set(span: &Span, name: &'static str, value: impl Into<Value>) {
    if is_on() {
        span.set_attribute(name, value);
    }
}

/// The span has failed, with a word for programs.
pub fn fail(span: &Span, error_type: impl Into<Value>) {
    if is_on() {
        span.set_attribute("error.type", error_type);
        span.set_status(Status::error(""));
    }
}

/// Sends the last spans of a process that stops.
pub async fn flush() {
    if let Some(export) = EXPORT.get()
        && !export.flush(FLUSH_TIMEOUT).await
    {
        tracing::warn!("the last spans did not reach the collector of traces in time");
    }
}

#[cfg(test)]
mod tests {
    use tracing::field;

    use super::export::tests::Kept;
    use super::*;
    use crate::telemetry::{LogFormat, SPANS, subscriber};

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const CAUSE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn request() {
        let span = tracing::error_span!(target: SPANS, parent: None, "request", trace_id = field::Empty);
        link(&span, Some(CAUSE));
        assert_eq!(begin(&span, Some(CAUSE)).as_deref(), Some(TRACE));
        let _entered = span.enter();
        assert!(current().is_some_and(|own| own.contains(TRACE) && own != CAUSE));
        let foreign = tracing::info_span!("of a library").entered();
        tracing::warn!("told");
        drop(foreign);
    }

    #[tokio::test]
    async fn a_span_goes_on_with_its_cause_and_its_lines_name_the_trace() {
        let kept = Kept::default();
        let export = EXPORT.get_or_init(|| Export::start(kept.clone())).clone();
        let provider = SdkTracerProvider::builder().with_span_processor(export).build();
        for (format, filter, lines) in
            [(LogFormat::Text, "info", 1), (LogFormat::Json, "info", 1), (LogFormat::Json, "off", 0)]
        {
            let log = testkit::Logs::default();
            let writer = log.clone();
            let tracer = Some(provider.tracer("test"));
            let dispatch = subscriber(format, filter, move || writer.clone(), tracer).unwrap();
            tracing::dispatcher::with_default(&dispatch, request);
            assert_eq!(
                (log.with("told").len(), log.with(TRACE).len()),
                (lines, lines),
                "{format:?} {filter}"
            );
        }
        flush().await;
        let spans = kept.spans.lock().unwrap();
        assert_eq!(spans.len(), 3, "one for each request, whatever the filter of the log says: {spans:?}");
        for span in spans.iter() {
            assert_eq!(span.parent_span_id.to_string(), "00f067aa0ba902b7");
            assert_eq!((span.links.len(), span.events.len()), (1, 0), "lines stay in the log");
        }
    }
}
