//! A collector of traces in a test: takes OTLP over HTTP and keeps the spans.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Empty;
use hyper::Response;
use hyper::body::Bytes;
use hyper::http::request::Parts;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::{Span as Sent, span::SpanKind, status::StatusCode};
use prost::Message;
use tokio::net::TcpListener;

use crate::taker::{Answer, take_all};
use crate::wait::eventually;

/// A batch waits a second for more spans.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct TraceSpan {
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub name: String,
    pub kind: SpanKind,
    pub failed: bool,
    /// Ids of spans.
    pub links: Vec<String>,
    /// Its own and those of its process.
    pub attributes: BTreeMap<String, String>,
}

impl TraceSpan {
    #[track_caller]
    pub fn is(&self, attribute: &str, value: &str) {
        let found = self.attributes.get(attribute).map(String::as_str);
        assert_eq!(found, Some(value), "{attribute} of {self:?}");
    }
}

/// Runs until its test ends.
#[derive(Clone, Default)]
pub struct Collector {
    spans: Arc<Mutex<Vec<TraceSpan>>>,
    /// The `Authorization` of the last request.
    authorization: Arc<Mutex<Option<String>>>,
}

impl Collector {
    /// Listens at this URL, such as `http://127.0.0.1:4318`.
    pub async fn start(base: &str) -> Self {
        let collector = Self::default();
        let listener = TcpListener::bind(base.trim_start_matches("http://")).await.unwrap();
        let own = collector.clone();
        take_all(listener, move |head, body| own.take(&head, &body));
        collector
    }

    fn take(&self, head: &Parts, body: &Bytes) -> Answer {
        assert_eq!((head.method.as_str(), head.uri.path()), ("POST", "/v1/traces"));
        let sent = head.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        *self.authorization.lock().unwrap() = sent;
        let request = ExportTraceServiceRequest::decode(&body[..]).unwrap();
        let mut spans = self.spans.lock().unwrap();
        for of_process in request.resource_spans {
            let process = texts(&of_process.resource.unwrap_or_default().attributes);
            let sent = of_process.scope_spans.into_iter().flat_map(|scope| scope.spans);
            spans.extend(sent.map(|span| shown(span, process.clone())));
        }
        Response::new(Empty::new())
    }

    pub fn authorization(&self) -> Option<String> {
        self.authorization.lock().unwrap().clone()
    }

    pub fn spans(&self) -> Vec<TraceSpan> {
        self.spans.lock().unwrap().clone()
    }

    /// The spans of a trace with this name, once there are at least so many.
    pub async fn named(&self, trace: &str, name: &str, number: usize) -> Vec<TraceSpan> {
        let what = format!("the collector has {number} spans `{name}` of the trace {trace}");
        eventually(&what, ARRIVES_WITHIN, async || {
            let is_meant = |span: &TraceSpan| span.trace == trace && span.name == name;
            let spans: Vec<_> = self.spans().into_iter().filter(is_meant).collect();
            (spans.len() >= number).then_some(spans)
        })
        .await
    }

    pub async fn one(&self, trace: &str, name: &str) -> TraceSpan {
        self.named(trace, name, 1).await.remove(0)
    }
}

fn shown(span: Sent, mut attributes: BTreeMap<String, String>) -> TraceSpan {
    attributes.extend(texts(&span.attributes));
    let kind = span.kind();
    let failed = span.status.as_ref().is_some_and(|status| status.code() == StatusCode::Error);
    TraceSpan {
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        name: span.name,
        kind,
        failed,
        links: span.links.iter().map(|link| hex(&link.span_id)).collect(),
        attributes,
    }
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &any_value::Value| match value {
        any_value::Value::StringValue(text) => text.clone(),
        any_value::Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let value = |pair: &KeyValue| pair.value.as_ref()?.value.as_ref().map(text);
    attributes.iter().filter_map(|pair| Some((pair.key.clone(), value(pair)?))).collect()
}

fn hex(id: &[u8]) -> String {
    hex::encode(id)
}
