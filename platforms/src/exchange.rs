//! One HTTP exchange with a platform: timeouts, a capped body, metrics.
//!
//! A response cannot exhaust memory: bodies above the cap are cut off. Errors name the kind of failure, never an
//! address or a body.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use metrics::Label;
use reqwest::header::HeaderMap;
use reqwest::{Client, ClientBuilder, Method, Request, RequestBuilder, redirect};
use serde::de::DeserializeOwned;
use tracing::Instrument;

use crate::error::{PlatformError, Result};
use crate::failures::Failures;
use crate::span;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// From the first byte sent to the last byte read.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);
/// A page of 1,000 members has about 1 MiB.
const BODY_CAP: usize = 8 << 20;

/// The HTTP client of one platform. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Http {
    platform: &'static str,
    client: Client,
    pub(crate) failures: Failures,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Http {
    /// Redirects are not followed, so a credential reaches no other host.
    pub(crate) fn new(platform: &'static str, base: &str, agent: &str) -> Result<Self> {
        let mut builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TOTAL_TIMEOUT)
            .redirect(redirect::Policy::none())
            .user_agent(agent)
            .tcp_nodelay(true);
        if is_loopback(base) {
            // A local simulator is never behind the proxy of the environment.
            builder = builder.no_proxy();
            if base.starts_with("http:") {
                builder = without_tls(builder);
            }
        }
        Ok(Self { platform, client: built(builder)?, failures: Failures::default() })
    }

    pub(crate) fn platform(&self) -> &'static str {
        self.platform
    }

    pub(crate) fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// A request that another library built.
    pub(crate) fn prepared(&self, request: http::Request<Vec<u8>>) -> Result<RequestBuilder, reqwest::Error> {
        Ok(RequestBuilder::from_parts(self.client.clone(), request.try_into()?))
    }

    /// Any response is `Ok`; without one it is `Unavailable`.
    pub(crate) fn send(
        &self,
        route: &'static str,
        request: RequestBuilder,
    ) -> impl Future<Output = Result<Response>> {
        self.send_capped(route, request, BODY_CAP)
    }

    /// The same for a body of at most this many bytes.
    pub(crate) async fn send_capped(
        &self,
        route: &'static str,
        request: RequestBuilder,
        cap: usize,
    ) -> Result<Response> {
        let exchanged = match request.build() {
            // On the heap: it is a part of the futures of all who call a platform.
            Ok(request) => Box::pin(self.exchange(route, request, cap)).await,
            Err(error) => Err(failure(&error)),
        };
        self.failures.note(route, exchanged.as_ref().map(|answer| answer.status).map_err(|cause| *cause));
        exchanged.map_err(|cause| PlatformError::unavailable(route, cause))
    }

    /// Sends it, and records how long that took and how it ended.
    async fn exchange(
        &self,
        route: &'static str,
        request: Request,
        cap: usize,
    ) -> Result<Response, &'static str> {
        let mut labels = self.labels(route);
        let url = request.url();
        labels.push(Label::new("server_address", url.host_str().unwrap_or_default().to_owned()));
        labels.push(Label::new("server_port", url.port_or_known_default().unwrap_or_default().to_string()));
        let span = span::of(self.platform, route, &request);
        let sent = Instant::now();
        let exchanged = answered(&self.client, request, cap).instrument(span.clone()).await;
        let status = exchanged.as_ref().map(|answer| answer.status).map_err(|cause| *cause);
        span::end(&span, status);
        labels.extend(outcome(status));
        metrics::histogram!("http_client_request_duration_seconds", labels).record(sent.elapsed());
        exchanged
    }

    /// A call of this route has waited for its turn.
    pub(crate) fn paced(&self, route: &'static str, waited: Duration) {
        metrics::histogram!("guildhall_platform_paced_seconds", self.labels(route)).record(waited);
    }

    fn labels(&self, route: &'static str) -> Vec<Label> {
        let (method, template) = route.split_once(' ').unwrap_or(("_OTHER", route));
        vec![
            Label::from_static_parts("platform", self.platform),
            Label::from_static_parts("http_request_method", method),
            Label::from_static_parts("url_template", template),
        ]
    }

    /// A body of another shape is `Unavailable`: the platform, or a server before it, is broken.
    pub(crate) fn parse<T: DeserializeOwned>(&self, route: &'static str, body: &[u8]) -> Result<T> {
        serde_json::from_slice(body).map_err(|error| {
            let place = (error.line(), error.column());
            tracing::warn!(platform = self.platform, route, ?place, "answer has an unexpected shape");
            unexpected_shape(route)
        })
    }
}

/// Redirects are not followed, so it needs none of the system's certificates, which take long to read.
pub(crate) fn without_tls(builder: ClientBuilder) -> ClientBuilder {
    builder.tls_certs_only([])
}

pub(crate) fn built(builder: ClientBuilder) -> Result<Client> {
    // Only the first call installs; the other crates choose the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder.build().map_err(|error| {
        tracing::error!(%error, "http client cannot be built");
        PlatformError::unavailable("client", "the http client cannot be built")
    })
}

pub(crate) fn unexpected_shape(route: &'static str) -> PlatformError {
    PlatformError::unavailable(route, "the answer does not have the expected shape")
}

/// A status, and its error from 400 on; or the error without an answer.
fn outcome(outcome: Result<u16, &'static str>) -> impl Iterator<Item = Label> {
    let status = outcome.ok().map(|status| status.to_string());
    let error = match outcome {
        Ok(status) => (status >= 400).then(|| status.to_string()),
        Err(cause) => Some(cause.replace(' ', "_")),
    };
    let label = |name, value: Option<String>| value.map(|value| Label::new(name, value));
    label("http_response_status_code", status).into_iter().chain(label("error_type", error))
}

async fn answered(client: &Client, request: Request, cap: usize) -> Result<Response, &'static str> {
    let response = client.execute(request).await.map_err(|error| failure(&error))?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Ok(Response { status, headers, body: read_capped(response, cap).await? })
}

async fn read_capped(mut response: reqwest::Response, cap: usize) -> Result<Bytes, &'static str> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if body.len() + chunk.len() > cap {
            return Err("the answer is too large");
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn failure(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else if error.is_builder() {
        "the address cannot be used"
    } else {
        "the connection broke"
    }
}

fn is_loopback(base: &str) -> bool {
    let host = reqwest::Url::parse(base).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host == "localhost" || host == "[::1]" || host.starts_with("127."))
}
