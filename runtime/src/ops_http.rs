//! `/metrics`, `/health/live` and `/health/ready`: the responses, and the small server of every process. The API answers
//! the two health paths on its own port too.
//!
//! The server runs until the end of a shutdown, so that "stopping" is visible.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use tokio::net::{TcpListener, TcpStream};

use crate::readiness::Readiness;
use crate::shutdown::Shutdown;
use crate::telemetry::{Gauge, open_metrics, render};

/// A client that has not sent its headers by then is disconnected.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum lifetime of a scraper's connection, so that abandoned ones do not accumulate.
const CONNECTION_TIMEOUT: Duration = Duration::from_mins(5);
/// Pause after a failed accept: usually the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A scrape does not wait longer for what is measured then, and has the other metrics.
const MEASURED_WITHIN: Duration = Duration::from_secs(2);

/// What is measured at each scrape; empty where it cannot be.
pub type Measure = Arc<dyn Fn() -> BoxFuture<'static, Vec<Gauge>> + Send + Sync>;

/// The response to the two paths of health; `None` for any other.
pub async fn answer(path: &str, ready: &Readiness) -> Option<Response<Bytes>> {
    match path {
        "/health/live" => Some(json(StatusCode::OK, &serde_json::json!({ "status": "ok" }))),
        "/health/ready" => {
            let report = ready.report().await;
            let status = if report.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            Some(json(status, &report))
        }
        _ => None,
    }
}

/// Serves the three paths until the hard step of the shutdown. Spawn it on [`Shutdown::services`].
pub async fn serve_ops(listener: TcpListener, ready: Readiness, measure: Measure, shutdown: Shutdown) {
    let hard = shutdown.hard().clone();
    let accept = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let connection = serve_connection(stream, ready.clone(), measure.clone());
                    shutdown.services().spawn(hard.clone().run_until_cancelled_owned(connection));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection for health and metrics");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    let _cut: Option<Infallible> = hard.run_until_cancelled(accept).await;
}

async fn serve_connection(stream: TcpStream, ready: Readiness, measure: Measure) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (ready, measure) = (ready.clone(), measure.clone());
        async move { Ok::<_, Infallible>(handle(&request, &ready, &measure).await.map(Full::new)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    // Errors of a scraper's connection are irrelevant.
    let _ended = tokio::time::timeout(CONNECTION_TIMEOUT, connection).await;
}

async fn handle(request: &Request<Incoming>, ready: &Readiness, measure: &Measure) -> Response<Bytes> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused =
            json(StatusCode::METHOD_NOT_ALLOWED, &serde_json::json!({ "status": "method not allowed" }));
        refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    if request.uri().path() == "/metrics" {
        let measured = tokio::time::timeout(MEASURED_WITHIN, measure()).await.unwrap_or_default();
        let text = render(&measured);
        return if takes_open_metrics(request.headers()) {
            reply(StatusCode::OK, OPEN_METRICS, open_metrics(&text))
        } else {
            reply(StatusCode::OK, PROMETHEUS_TEXT, text)
        };
    }
    match answer(request.uri().path(), ready).await {
        Some(response) => response,
        None => json(StatusCode::NOT_FOUND, &serde_json::json!({ "status": "not found" })),
    }
}

/// A scraper that names it prefers it.
fn takes_open_metrics(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    accepted.any(|accept| accept.contains("application/openmetrics-text"))
}

fn json(status: StatusCode, body: &impl Serialize) -> Response<Bytes> {
    reply(status, "application/json", serde_json::to_string(body).unwrap_or_default())
}

fn reply(status: StatusCode, content_type: &'static str, body: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::readiness::Need;
    use crate::telemetry::metrics_handle;

    async fn ask(address: std::net::SocketAddr, line: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("{line} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn serves_its_three_paths_until_the_hard_step() {
        let shutdown = Shutdown::new();
        let ready = Readiness::new(&shutdown);
        let database = ready.flag("database", Need::Required);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let waits = Arc::new(AtomicBool::new(false));
        let silent = waits.clone();
        let measure: Measure = Arc::new(move || {
            if silent.load(Ordering::Relaxed) {
                return Box::pin(std::future::pending());
            }
            Box::pin(async move { vec![Gauge::new("ops_test_waiting", 3.0).with("class", "bulk")] })
        });
        shutdown.services().spawn(serve_ops(listener, ready, measure, shutdown.clone()));

        let live = ask(address, "GET /health/live").await;
        assert!(live.starts_with("HTTP/1.1 200") && live.ends_with(r#"{"status":"ok"}"#), "{live}");
        assert!(ask(address, "GET /health/ready").await.starts_with("HTTP/1.1 503"));
        database.set(true);
        let up = ask(address, "GET /health/ready").await;
        assert!(up.ends_with(r#"{"status":"ready","dependencies":{"database":"ok"}}"#), "{up}");
        metrics_handle();
        metrics::counter!("ops_test_total").increment(1);
        let scraped = ask(address, "GET /metrics").await;
        assert!(scraped.contains("ops_test_total 1"), "{scraped}");
        assert!(scraped.contains("ops_test_waiting{class=\"bulk\"} 3"), "{scraped}");
        let open =
            ask(address, "GET /metrics HTTP/1.1\r\naccept: application/openmetrics-text;version=1.0.0").await;
        assert!(open.contains("content-type: application/openmetrics-text; version=1.0.0"), "{open}");
        assert!(open.contains("ops_test_total 1") && open.ends_with("\n# EOF\n"), "{open}");
        waits.store(true, Ordering::Relaxed);
        let scraped = ask(address, "GET /metrics").await;
        assert!(scraped.contains("ops_test_total 1") && !scraped.contains("ops_test_waiting"), "{scraped}");
        assert!(ask(address, "GET /nothing").await.starts_with("HTTP/1.1 404"));
        assert!(ask(address, "POST /metrics").await.contains("allow: GET, HEAD"));

        shutdown.begin();
        assert!(ask(address, "GET /health/ready").await.contains("stopping"));
        tokio::time::timeout(Duration::from_secs(5), shutdown.wait()).await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }
}
