//! One HTTP exchange with a platform: permit, request, capped body, classification, metrics.
//!
//! Only a single 429 with a short pause is retried here; every other error is returned classified, and the job's
//! backoff decides. A response cannot exhaust memory: bodies above the cap are cut off.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, redirect};
use serde::de::DeserializeOwned;

use crate::answer;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::pacing::{Answered, Ask, Pacer, Permit};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// From the first byte sent to the last byte read.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);
/// A page of 1,000 members has about 1 MiB.
const BODY_CAP: usize = 8 << 20;

/// One call. `route` is the template, the name used in metrics, errors and pacing.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) route: &'static str,
    pub(crate) url: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Option<serde_json::Value>,
    pub(crate) headers: HeaderMap,
}

impl Call {
    pub(crate) fn new(method: Method, route: &'static str, url: String) -> Self {
        Self { method, route, url, query: Vec::new(), body: None, headers: HeaderMap::new() }
    }

    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    pub(crate) fn body(mut self, body: serde_json::Value) -> Self {
        self.body = Some(body);
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// Parses a platform's refusals: status and body in, error out. Never called for 429.
pub(crate) type Classify = fn(route: &'static str, status: u16, body: &[u8]) -> PlatformError;

pub(crate) struct Wire {
    platform: &'static str,
    http: Client,
    pacer: Pacer,
    classify: Classify,
}

/// The right to send one call. Released if dropped unused.
pub struct CallPermit {
    permit: Permit,
    context: CallContext,
}

impl CallPermit {
    pub(crate) fn context(&self) -> CallContext {
        self.context
    }
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Wire {
    pub(crate) fn new(platform: &'static str, http: Client, pacer: Pacer, classify: Classify) -> Self {
        Self { platform, http, pacer, classify }
    }

    /// Sends and reads JSON. A body of another shape is `Unavailable`: the platform, or a server before it, is broken.
    pub(crate) async fn json<T: DeserializeOwned>(&self, context: CallContext, call: &Call) -> Result<T> {
        let body = self.send(context, call).await?;
        serde_json::from_slice(&body).map_err(|error| {
            let place = (error.line(), error.column());
            tracing::warn!(
                platform = self.platform,
                route = call.route,
                ?place,
                "answer has an unexpected shape"
            );
            PlatformError::unavailable(call.route, "the answer does not have the expected shape")
        })
    }

    /// Sends and returns the body of a successful response.
    pub(crate) async fn send(&self, context: CallContext, call: &Call) -> Result<Bytes> {
        let mut waited_for_429 = false;
        loop {
            let permit = self.reserve(context, call.route).await?;
            match self.send_once(permit, call).await {
                Err(PlatformError::RateLimited { retry_after })
                    if !waited_for_429 && retry_after <= context.priority.patience() =>
                {
                    // The pacing already knows the pause: the next permit comes after it.
                    waited_for_429 = true;
                }
                settled => return settled,
            }
        }
    }

    /// Waits for the permit of one call of this route.
    pub(crate) async fn reserve(&self, context: CallContext, route: &'static str) -> Result<CallPermit> {
        let asked = Instant::now();
        let ask = Ask { route, major: context.guild.get(), priority: context.priority };
        let permit = self.pacer.acquire(ask).await?;
        self.record("guildhall_platform_paced_seconds", route, asked.elapsed());
        Ok(CallPermit { permit, context })
    }

    /// Sends a call of the permit's route.
    pub(crate) async fn send_once(&self, mut permit: CallPermit, call: &Call) -> Result<Bytes> {
        let sent = Instant::now();
        permit.permit.sending();
        let exchanged = self.exchange(call).await;
        self.record("guildhall_platform_request_seconds", call.route, sent.elapsed());
        let (answered, pause) = match &exchanged {
            Ok(answer) => answer::read(answer.status, &answer.headers, &answer.body),
            Err(_) => (Answered::default(), None),
        };
        // Not earlier: the permit's window starts when the response has arrived.
        permit.permit.finish(&answered).await;
        self.count(call, exchanged.as_ref().map_or(0, |answer| answer.status));
        let answer = exchanged.map_err(|cause| PlatformError::unavailable(call.route, cause))?;
        match (answer.status, pause) {
            (200..=299, _) => Ok(answer.body),
            (_, Some(retry_after)) => Err(PlatformError::RateLimited { retry_after }),
            (status, None) => {
                tracing::debug!(
                    platform = self.platform,
                    route = call.route,
                    status,
                    "platform call refused"
                );
                Err((self.classify)(call.route, status, &answer.body))
            }
        }
    }

    /// `Err` describes the kind of failure, without addresses.
    async fn exchange(&self, call: &Call) -> Result<Answer, &'static str> {
        let mut request = self.http.request(call.method.clone(), &call.url).headers(call.headers.clone());
        if !call.query.is_empty() {
            request = request.query(&call.query);
        }
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|error| failure(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Answer { status, headers, body: read_capped(response).await? })
    }

    fn record(&self, name: &'static str, route: &'static str, elapsed: Duration) {
        metrics::histogram!(name, "platform" => self.platform, "route" => route)
            .record(elapsed.as_secs_f64());
    }

    /// Status 0: no response.
    fn count(&self, call: &Call, status: u16) {
        metrics::counter!(
            "guildhall_platform_requests_total",
            "platform" => self.platform, "route" => call.route, "status" => status.to_string()
        )
        .increment(1);
    }
}

async fn read_capped(mut response: Response) -> Result<Bytes, &'static str> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if body.len() + chunk.len() > BODY_CAP {
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

/// A credential, ready for its header; `variable` names where it comes from.
pub(crate) fn credential(text: Option<String>, variable: &'static str) -> Result<Option<HeaderValue>> {
    let Some(text) = text else { return Ok(None) };
    let mut value = HeaderValue::try_from(text).map_err(|_| PlatformError::Unauthorized(variable))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// The HTTP client of one platform. Redirects are not followed, so the credential reaches no other host.
pub(crate) fn http_client(base: &str, agent: &str) -> Result<Client> {
    // Only the first call installs; the other crates choose the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .redirect(redirect::Policy::none())
        .user_agent(agent)
        .tcp_nodelay(true);
    if is_loopback(base) {
        // A local simulator is never behind the proxy of the environment.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| {
        tracing::error!(%error, "http client cannot be built");
        PlatformError::unavailable("client", "the http client cannot be built")
    })
}

fn is_loopback(base: &str) -> bool {
    let host = reqwest::Url::parse(base).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host == "localhost" || host == "[::1]" || host.starts_with("127."))
}
