//! Callers: each makes one call after the other, and repeats a call under the same key until it is answered.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::RETRY_AFTER;
use serde_json::Value;

use super::balancer::Balancer;
use super::calls::Call;
use testkit::http_client;

/// A call without any answer is given up after this long: many times longer than a key stays reserved by a process that
/// died during a request.
const WAIT_LIMIT: Duration = Duration::from_secs(150);
/// Pause before a broken connection is retried at the next api; doubled up to a second.
const PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The outcome of a call as known to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A 2xx.
    Accepted,
    /// The final error, which a repeat does not change.
    Refused(String),
    Unknown,
}

/// A caller's results.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) fate: Fate,
    pub(super) requests: usize,
    /// Reasons for repeats, with counts.
    pub(super) repeats: BTreeMap<String, usize>,
}

/// Makes all calls, some at a time; the answers are in the order of the calls.
pub(super) fn make_all(
    calls: &Arc<Vec<Call>>,
    (balancer, callers): (&Arc<Balancer>, usize),
    answered: &Arc<AtomicUsize>,
) -> impl Future<Output = Vec<Told>> + Send + 'static {
    let next = Arc::new(AtomicUsize::new(0));
    let http = http_client();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let caller = Caller { http: http.clone(), balancer: Arc::clone(balancer) };
            let (calls, next, answered) = (Arc::clone(calls), Arc::clone(&next), Arc::clone(answered));
            async move {
                let mut told = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(call) = calls.get(number) else { return told };
                    told.push((number, caller.make(call).await));
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            }
        })
        .collect();
    async move {
        let tasks = tasks.into_iter().map(tokio::spawn);
        let told = futures_util::future::join_all(tasks).await;
        // The calls of a panicked caller are missing, and the judge reports them.
        let mut told: Vec<_> = told.into_iter().filter_map(Result::ok).flatten().collect();
        told.sort_by_key(|(number, _)| *number);
        told.into_iter().map(|(_, told)| told).collect()
    }
}

struct Caller {
    http: reqwest::Client,
    balancer: Arc<Balancer>,
}

/// The outcome of one request.
enum Came {
    Settled(Fate),
    /// The reason, and the pause before the retry; `None`: the caller's own backoff.
    Again(String, Option<Duration>),
}

impl Caller {
    async fn make(&self, call: &Call) -> Told {
        let mut told = Told { fate: Fate::Unknown, requests: 0, repeats: BTreeMap::new() };
        let (deadline, mut pause) = (Instant::now() + WAIT_LIMIT, PAUSE);
        let body = call.body().to_string();
        while Instant::now() < deadline {
            told.requests += 1;
            match self.request(call, body.clone()).await {
                Came::Settled(fate) => {
                    told.fate = fate;
                    return told;
                }
                Came::Again(why, wait) => {
                    *told.repeats.entry(why).or_default() += 1;
                    tokio::time::sleep(wait.unwrap_or(pause)).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        told
    }

    async fn request(&self, call: &Call, body: String) -> Came {
        let url = format!("{}{}", self.balancer.next(), call.path());
        let mut request = self
            .http
            .post(url)
            .header("x-api-key", &call.key)
            .header("idempotency-key", &call.idempotency_key)
            .header("content-type", "application/json");
        if call.at_once {
            request = request.header("prefer", "respond-async");
        }
        let response = match request.body(body).send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Came::Again("nobody listens".to_owned(), None),
            Err(_) => return Came::Again("the connection broke".to_owned(), None),
        };
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let Ok(text) = response.text().await else {
            return Came::Again("the connection broke".to_owned(), None);
        };
        if status.is_success() {
            return Came::Settled(Fate::Accepted);
        }
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let word = format!("{} {}", status.as_u16(), body["error"].as_str().unwrap_or("?"));
        let passes = status.is_server_error() || status.as_u16() == 429 || word == "409 still_running";
        if passes {
            Came::Again(word, wait.map(Duration::from_secs))
        } else {
            Came::Settled(Fate::Refused(word))
        }
    }
}
