//! Callers: each makes one call after the other, and repeats a call under the same key until it is answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::future::join_all;
use reqwest::header::RETRY_AFTER;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::calls::Call;
use testkit::http_client;

/// A call without any answer is given up after this long: many times longer than a key stays reserved by a process that
/// died during a request.
const WAIT_LIMIT: Duration = Duration::from_secs(150);
/// Pause before a broken connection is retried at the next api; doubled up to a second.
const PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A load balancer before the apis: calls go round robin, also to an api that is down.
#[derive(Default)]
pub(super) struct Balancer {
    /// By the number of the api; a restarted one has a new address.
    bases: RwLock<Vec<String>>,
    turn: AtomicUsize,
}

impl Balancer {
    pub(super) fn set(&self, api: usize, base: &str) {
        let mut bases = self.bases.write().unwrap_or_else(PoisonError::into_inner);
        if bases.len() <= api {
            bases.resize(api + 1, String::new());
        }
        base.clone_into(&mut bases[api]);
    }

    fn next(&self) -> String {
        let bases = self.bases.read().unwrap_or_else(PoisonError::into_inner);
        bases[self.turn.fetch_add(1, Ordering::Relaxed) % bases.len()].clone()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallOutcome {
    /// A 2xx.
    Accepted,
    /// The final error, which a repeat does not change.
    Refused(String),
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) struct CallResult {
    pub(super) outcome: CallOutcome,
    pub(super) requests: usize,
    /// Reasons for repeats, with counts.
    pub(super) repeats: BTreeMap<String, usize>,
}

/// All calls, some at a time, in the background.
pub(super) struct Load {
    answered: Arc<AtomicUsize>,
    calling: JoinHandle<Vec<CallResult>>,
}

impl Load {
    pub(super) fn start(calls: &Arc<Vec<Call>>, balancer: &Arc<Balancer>, callers: usize) -> Self {
        let (next, answered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let http = http_client();
        let callers = (0..callers).map(|_| {
            let caller = Caller { http: http.clone(), balancer: Arc::clone(balancer) };
            let (calls, next, answered) = (Arc::clone(calls), Arc::clone(&next), Arc::clone(&answered));
            tokio::spawn(async move {
                let mut results = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(call) = calls.get(number) else { return results };
                    results.push((number, caller.make(call).await));
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let all = join_all(callers);
        let calling = tokio::spawn(async move {
            // The calls of a panicked caller are missing, and the judge reports them.
            let mut results: Vec<_> = all.await.into_iter().filter_map(Result::ok).flatten().collect();
            results.sort_by_key(|(number, _)| *number);
            results.into_iter().map(|(_, result)| result).collect()
        });
        Self { answered, calling }
    }

    pub(super) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.calling.is_finished()
    }

    /// In the order of the calls.
    pub(super) async fn results(self) -> anyhow::Result<Vec<CallResult>> {
        self.calling.await.context("the callers panicked")
    }
}

struct Caller {
    http: reqwest::Client,
    balancer: Arc<Balancer>,
}

enum Response {
    Final(CallOutcome),
    /// The reason, and the pause before the retry; `None`: the caller's own backoff.
    Retry(String, Option<Duration>),
}

impl Caller {
    async fn make(&self, call: &Call) -> CallResult {
        let mut result = CallResult { outcome: CallOutcome::Unknown, requests: 0, repeats: BTreeMap::new() };
        let (deadline, mut pause) = (Instant::now() + WAIT_LIMIT, PAUSE);
        let body = call.body().to_string();
        while Instant::now() < deadline {
            result.requests += 1;
            match self.request(call, body.clone()).await {
                Response::Final(outcome) => {
                    result.outcome = outcome;
                    return result;
                }
                Response::Retry(why, wait) => {
                    *result.repeats.entry(why).or_default() += 1;
                    tokio::time::sleep(wait.unwrap_or(pause)).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        result
    }

    async fn request(&self, call: &Call, body: String) -> Response {
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
        let broken = || Response::Retry("connection broken".to_owned(), None);
        let response = match request.body(body).send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => {
                return Response::Retry("connection refused".to_owned(), None);
            }
            Err(_) => return broken(),
        };
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let Ok(text) = response.text().await else { return broken() };
        if status.is_success() {
            return Response::Final(CallOutcome::Accepted);
        }
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let word = format!("{} {}", status.as_u16(), body["error"].as_str().unwrap_or("?"));
        let passes = status.is_server_error() || status.as_u16() == 429 || word == "409 still_running";
        if passes {
            Response::Retry(word, wait.map(Duration::from_secs))
        } else {
            Response::Final(CallOutcome::Refused(word))
        }
    }
}
