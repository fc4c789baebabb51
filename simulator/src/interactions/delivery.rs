//! One signed request to the application's endpoint, and its answer.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::Uri;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::application_key::{SignatureFlaw, sign};
use crate::outgoing;

/// How long the platform waits.
const PATIENCE: Duration = Duration::from_secs(3);
const HOUR: Duration = Duration::from_secs(3600);

pub(super) struct Delivered {
    /// Of each request; `None` without an answer in time.
    pub(super) statuses: Vec<Option<u16>>,
    /// Of the first one, if it is JSON.
    pub(super) body: Option<Value>,
    took: Duration,
}

impl Delivered {
    pub(super) fn status(&self) -> Option<u16> {
        self.statuses.first().copied().flatten()
    }

    pub(super) fn took_ms(&self) -> u64 {
        u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Waits for the answer to an interaction that went to the event stream.
pub(super) async fn answered(answer: oneshot::Receiver<Value>) -> Delivered {
    let started = Instant::now();
    let body = tokio::time::timeout(PATIENCE, answer).await.ok().and_then(Result::ok);
    Delivered { statuses: vec![body.as_ref().map(|_| 200)], body, took: started.elapsed() }
}

pub(super) async fn deliver(endpoint: &Uri, payload: Value, flaw: Option<SignatureFlaw>) -> Delivered {
    let body = payload.to_string();
    let mut headers = signature_headers(&body, flaw);
    headers.push(("user-agent", "Discord-Interactions/1.0".to_owned()));
    let body = if flaw == Some(SignatureFlaw::ChangedBody) { format!("{body} ") } else { body };
    let started = Instant::now();
    let first = post(endpoint, &headers, body.clone()).await;
    let took = started.elapsed();
    let mut statuses = vec![first.as_ref().map(|(status, _)| *status)];
    if flaw == Some(SignatureFlaw::Replayed) {
        statuses.push(post(endpoint, &headers, body).await.map(|(status, _)| status));
    }
    let body = first.and_then(|(_, body)| serde_json::from_slice(&body).ok());
    Delivered { statuses, body, took }
}

async fn post(endpoint: &Uri, headers: &[(&str, String)], body: String) -> Option<(u16, Bytes)> {
    let posting = outgoing::post(endpoint, headers, body.into());
    match tokio::time::timeout(PATIENCE, posting).await {
        Ok(Ok(answer)) => Some(answer),
        Ok(Err(error)) => {
            tracing::warn!(%error, "an interaction got no answer");
            None
        }
        Err(_) => None,
    }
}

fn signature_headers(body: &str, flaw: Option<SignatureFlaw>) -> Vec<(&'static str, String)> {
    if flaw == Some(SignatureFlaw::NoSignature) {
        return Vec::new();
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at = if flaw == Some(SignatureFlaw::OldTimestamp) { now.saturating_sub(HOUR) } else { now };
    let timestamp = at.as_secs().to_string();
    // The seed is a constant of the right length.
    let signature = sign(&timestamp, body.as_bytes(), flaw).unwrap_or_default();
    vec![("x-signature-ed25519", signature), ("x-signature-timestamp", timestamp)]
}
