//! Calls that count for the limits of a credential: permit, exchange, classification.
//!
//! Only a single 429 with a short pause is retried here; every other error is returned classified, and the job's
//! backoff decides.

use std::time::{Duration, Instant};

use bytes::Bytes;
use entities::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde::de::DeserializeOwned;

use crate::answer;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::exchange::{Http, Response};
use crate::failures::CallFailure;
use crate::pacing::budget::Budget;
use crate::pacing::{Answered, Ask, Pacer, Permit};

/// The request of one call. `route` is the template, the name used in metrics, errors and pacing.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) route: &'static str,
    pub(crate) url: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Option<serde_json::Value>,
    pub(crate) headers: HeaderMap,
}

impl Request {
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
    http: Http,
    pacer: Pacer,
    classify: Classify,
}

/// The state of a platform in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// There is a credential.
    pub configured: bool,
    pub budget: Budget,
    /// Of this process, newest first.
    pub failures: Vec<CallFailure>,
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

impl Wire {
    pub(crate) fn new(http: Http, pacer: Pacer, classify: Classify) -> Self {
        Self { http, pacer, classify }
    }

    /// Sends and reads JSON. A body of another shape is `Unavailable`.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        context: CallContext,
        request: &Request,
    ) -> Result<T> {
        let body = self.send(context, request).await?;
        self.http.parse(request.route, &body)
    }

    /// The platform's time, as the head of a successful response has it.
    pub(crate) async fn time(&self, context: CallContext, request: &Request) -> Result<Option<Timestamp>> {
        let permit = self.reserve(context, request.route).await?;
        Ok(answer::time(&self.exchange(permit, request).await?.headers))
    }

    /// Sends and returns the body of a successful response.
    pub(crate) async fn send(&self, context: CallContext, request: &Request) -> Result<Bytes> {
        let mut waited_for_429 = false;
        loop {
            let permit = self.reserve(context, request.route).await?;
            match self.send_once(permit, request).await {
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

    pub(crate) async fn standing(&self, configured: bool) -> Standing {
        Standing { configured, budget: self.pacer.budget().await, failures: self.http.failures.list() }
    }

    /// Waits for the permit of one call of this route.
    pub(crate) async fn reserve(&self, context: CallContext, route: &'static str) -> Result<CallPermit> {
        let asked = Instant::now();
        let ask = Ask { route, major: context.guild.get(), priority: context.priority };
        let permit = self.pacer.acquire(ask).await?;
        self.http.paced(route, asked.elapsed());
        Ok(CallPermit { permit, context })
    }

    /// Sends a call that counts for no limit of the credential.
    pub(crate) async fn send_unpaced(&self, request: &Request) -> Result<Bytes> {
        let answer = self.http.send(request.route, self.builder(request)).await?;
        let (_, pause) = answer::read(answer.status, &answer.headers, &answer.body);
        Ok(self.settled(request, answer, pause)?.body)
    }

    /// Sends a call of the permit's route.
    pub(crate) async fn send_once(&self, permit: CallPermit, request: &Request) -> Result<Bytes> {
        Ok(self.exchange(permit, request).await?.body)
    }

    async fn exchange(&self, mut permit: CallPermit, request: &Request) -> Result<Response> {
        permit.permit.sending();
        let exchanged = self.http.send(request.route, self.builder(request)).await;
        let (answered, pause) = match &exchanged {
            Ok(answer) => answer::read(answer.status, &answer.headers, &answer.body),
            Err(_) => (Answered::default(), None),
        };
        // Not earlier: the permit's window starts when the response has arrived.
        permit.permit.finish(&answered).await;
        self.settled(request, exchanged?, pause)
    }

    fn settled(&self, request: &Request, answer: Response, pause: Option<Duration>) -> Result<Response> {
        self.note_credential(request, answer.status);
        match (answer.status, pause) {
            (200..=299, _) => Ok(answer),
            (_, Some(retry_after)) => Err(PlatformError::RateLimited { retry_after }),
            (status, None) => {
                let platform = self.http.platform();
                tracing::debug!(platform, route = request.route, status, "platform call refused");
                Err((self.classify)(request.route, status, &answer.body))
            }
        }
    }

    /// Other answers say nothing of the credential, and 401 to a call without one is about the token in its address.
    fn note_credential(&self, request: &Request, status: u16) {
        let is_refused = match status {
            200..=299 => false,
            401 => true,
            _ => return,
        };
        if request.headers.values().any(HeaderValue::is_sensitive) {
            metrics::gauge!("guildhall_platform_credential_refused", "platform" => self.http.platform())
                .set(f64::from(u8::from(is_refused)));
        }
    }

    fn builder(&self, request: &Request) -> RequestBuilder {
        let builder = self.http.request(request.method.clone(), &request.url);
        let mut builder = builder.headers(request.headers.clone());
        if !request.query.is_empty() {
            builder = builder.query(&request.query);
        }
        if let Some(body) = &request.body {
            builder = builder.json(body);
        }
        builder
    }
}

/// A credential, ready for its header; `variable` names where it comes from.
pub(crate) fn credential(text: Option<String>, variable: &'static str) -> Result<Option<HeaderValue>> {
    let Some(text) = text else { return Ok(None) };
    let mut value = HeaderValue::try_from(text).map_err(|_| PlatformError::Unauthorized(variable))?;
    value.set_sensitive(true);
    Ok(Some(value))
}
