//! A receiver of webhooks in a test: answers as told, and keeps what it got once its signature is checked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Empty;
use hyper::Response;
use hyper::body::Bytes;
use hyper::http::request::Parts;
use serde_json::Value;
use standardwebhooks::Webhook;
use tokio::net::TcpListener;

use crate::taker::{Answer, take_all};
use crate::wait::eventually;

/// A delivery is retried after five seconds.
const ARRIVES_WITHIN: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub struct Received {
    pub id: String,
    /// How many secrets signed it.
    pub signatures: usize,
    pub body: Value,
    /// What it was answered.
    pub status: u16,
}

/// Runs until its test ends.
#[derive(Clone)]
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    /// Of the next answers; then 204.
    statuses: Arc<Mutex<VecDeque<u16>>>,
    secret: Arc<Mutex<String>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (received, statuses, secret) = Default::default();
        let receiver = Self { address, received, statuses, secret };
        let own = receiver.clone();
        take_all(listener, move |head, body| own.take(&head, &body));
        receiver
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Accepts only what this secret signed.
    pub fn trusts(&self, secret: &Value) {
        secret.as_str().unwrap().clone_into(&mut self.secret.lock().unwrap());
    }

    /// The next answers have these statuses.
    pub fn answers(&self, statuses: impl IntoIterator<Item = u16>) {
        self.statuses.lock().unwrap().extend(statuses);
    }

    fn take(&self, head: &Parts, body: &Bytes) -> Answer {
        assert_eq!((head.method.as_str(), head.uri.path()), ("POST", "/hook"));
        let header = |name: &str| head.headers[name].to_str().unwrap().to_owned();
        let webhook = Webhook::new(&self.secret.lock().unwrap()).unwrap();
        let status = match webhook.verify(body, &head.headers) {
            Ok(()) => self.statuses.lock().unwrap().pop_front().unwrap_or(204),
            Err(_) => 401,
        };
        let received = Received {
            id: header("webhook-id"),
            signatures: header("webhook-signature").split(' ').count(),
            body: serde_json::from_slice(body).unwrap(),
            status,
        };
        self.received.lock().unwrap().push(received);
        let answer = Response::builder().status(status).header("location", "/elsewhere");
        answer.body(Empty::new()).unwrap()
    }

    /// All that came so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// All that came, once it is so many.
    pub async fn wait_for(&self, number: usize) -> Vec<Received> {
        eventually(&format!("{number} events arrive"), ARRIVES_WITHIN, async || {
            Some(self.received()).filter(|received| received.len() >= number)
        })
        .await
    }
}
