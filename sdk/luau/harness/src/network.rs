//! The way from the servers to the service: calls of the real API, and how they fail.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use reqwest::Method;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How the platform says that no answer came.
const NO_ANSWER: &str = "HttpError: ConnectFail";
/// An answer that got lost: the service has done what it was asked.
const LOST: &str = "HttpError: NetFail";

/// A call that was answered, or failed with `status` 0.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Index of the server.
    pub server: usize,
    pub path: String,
    pub status: u16,
    /// Virtual seconds.
    pub at: f64,
}

pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

pub(crate) type Outcome = Result<Answer, String>;
/// Status, headers and body, by path and body of the call.
type StandIn = Box<dyn Fn(&str, &Value) -> (u16, Vec<(String, String)>, Value)>;
type Rewrite = Box<dyn Fn(&str, &mut Value)>;

/// The connection of all servers.
pub struct Network {
    client: reqwest::Client,
    away: Cell<bool>,
    lost: Cell<usize>,
    rewrite: RefCell<Option<Rewrite>>,
    stand_in: RefCell<Option<StandIn>>,
    sender: UnboundedSender<(u64, Outcome)>,
}

impl Network {
    pub(crate) fn new() -> (Self, UnboundedReceiver<(u64, Outcome)>) {
        let (sender, receiver) = unbounded_channel();
        let network = Self {
            client: testkit::http_client(),
            away: Cell::new(false),
            lost: Cell::new(0),
            rewrite: RefCell::new(None),
            stand_in: RefCell::new(None),
            sender,
        };
        (network, receiver)
    }

    /// No connection succeeds while the service is away.
    pub fn set_away(&self, away: bool) {
        self.away.set(away);
    }

    /// The answers to the next calls get lost.
    pub fn lose_answers(&self, count: usize) {
        self.lost.set(count);
    }

    /// Changes the `data` of answers, by path.
    pub fn rewrite(&self, rewrite: impl Fn(&str, &mut Value) + 'static) {
        self.rewrite.replace(Some(Box::new(rewrite)));
    }

    /// Answers in place of a service, for faults that a real one does not show on demand.
    pub fn stand_in(&self, answer: impl Fn(&str, &Value) -> (u16, Vec<(String, String)>, Value) + 'static) {
        self.stand_in.replace(Some(Box::new(answer)));
    }

    /// The outcome arrives under this number.
    pub(crate) fn send(&self, number: u64, path: &str, call: Call) {
        let sender = self.sender.clone();
        if self.away.get() {
            // The world holds the receiver as long as the network.
            let _ = sender.send((number, Err(NO_ANSWER.to_owned())));
            return;
        }
        let lost = self.lost.get() > 0;
        self.lost.set(self.lost.get().saturating_sub(1));
        if let Some(stand_in) = self.stand_in.borrow().as_ref() {
            let body = serde_json::from_str(&call.body).unwrap_or_default();
            let (status, headers, body) = stand_in(path, &body);
            let answer = Answer { status, headers, body: body.to_string() };
            let _ = sender.send((number, if lost { Err(LOST.to_owned()) } else { Ok(answer) }));
            return;
        }
        let client = self.client.clone();
        tokio::spawn(async move {
            let outcome = perform(&client, call).await;
            let outcome = if lost { Err(LOST.to_owned()) } else { outcome };
            let _ = sender.send((number, outcome));
        });
    }

    pub(crate) fn rewritten(&self, path: &str, mut answer: Answer) -> Answer {
        if let (Some(rewrite), Ok(mut body)) =
            (self.rewrite.borrow().as_ref(), serde_json::from_str::<Value>(&answer.body))
        {
            rewrite(path, &mut body["data"]);
            answer.body = body.to_string();
        }
        answer
    }
}

async fn perform(client: &reqwest::Client, call: Call) -> Outcome {
    let method = Method::from_bytes(call.method.as_bytes()).map_err(|error| error.to_string())?;
    let mut request = client.request(method, &call.url).body(call.body);
    for (name, value) in &call.headers {
        request = request.header(name, value);
    }
    let failed = |_| NO_ANSWER.to_owned();
    let response = request.send().await.map_err(failed)?;
    let headers = response.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()));
    let (status, headers) = (response.status().as_u16(), headers.collect());
    Ok(Answer { status, headers, body: response.text().await.map_err(failed)? })
}
