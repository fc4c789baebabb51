//! The tests' Chromium, driven through the protocol of its developer tools. Each tab has cookies of its own,
//! and is closed with the test.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use testkit::Chromium;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// An event of one tab: the method and its parameters.
pub(super) type Events = Arc<Mutex<Vec<(String, Value)>>>;

pub(super) struct Browser {
    commands: mpsc::UnboundedSender<(Value, oneshot::Sender<Value>)>,
    events: Arc<Mutex<HashMap<String, Events>>>,
    _shared: Chromium,
}

impl Browser {
    pub(super) async fn join() -> Self {
        let shared = Chromium::shared().await;
        let (commands, receiver) = mpsc::unbounded_channel();
        let events = Arc::default();
        tokio::spawn(talk(shared.address().to_owned(), receiver, Arc::clone(&events)));
        Self { commands, events, _shared: shared }
    }

    /// A command to the browser, or to a tab.
    pub(super) async fn call(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        let answer = self.ask(session, method, params).await;
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same, with the browser's refusal.
    pub(super) async fn ask(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, String> {
        let mut command = json!({ "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let (sender, answer) = oneshot::channel();
        self.commands.send((command, sender)).unwrap();
        let answer = tokio::time::timeout(ANSWERS_WITHIN, answer).await;
        let mut answer = answer.unwrap_or_else(|_| panic!("{method}: no answer")).expect("Chromium runs");
        if answer["error"].is_null() { Ok(answer["result"].take()) } else { Err(answer["error"].to_string()) }
    }

    /// A new tab: its session, and its events.
    pub(super) async fn attach(&self) -> (String, Events) {
        // With cookies of its own: each tab is another person's browser.
        let lives = json!({ "disposeOnDetach": true });
        let context = self.call(None, "Target.createBrowserContext", lives).await;
        let create = json!({ "url": "about:blank", "browserContextId": context["browserContextId"] });
        let target = self.call(None, "Target.createTarget", create).await;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attach).await;
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let events = self.events.lock().unwrap().entry(session.clone()).or_default().clone();
        for domain in ["Page", "Runtime", "Log", "Audits"] {
            self.call(Some(&session), &format!("{domain}.enable"), json!({})).await;
        }
        (session, events)
    }
}

/// Sends commands, and hands out answers and events.
async fn talk(
    address: String,
    mut commands: mpsc::UnboundedReceiver<(Value, oneshot::Sender<Value>)>,
    events: Arc<Mutex<HashMap<String, Events>>>,
) {
    let (socket, _) = connect_async(address).await.unwrap();
    let (mut sink, mut stream) = socket.split();
    let mut waiting = HashMap::<u64, oneshot::Sender<Value>>::new();
    let mut last = 0;
    loop {
        tokio::select! {
            command = commands.recv() => {
                let Some((mut command, answer)) = command else { return };
                last += 1;
                command["id"] = last.into();
                waiting.insert(last, answer);
                sink.send(Message::text(command.to_string())).await.unwrap();
            }
            message = stream.next() => {
                let Some(Ok(message)) = message else { return };
                let Ok(mut message) = serde_json::from_str::<Value>(message.to_text().unwrap_or("")) else { continue };
                if let Some(answer) = message["id"].as_u64().and_then(|id| waiting.remove(&id)) {
                    // The test may have given up.
                    let _ = answer.send(message);
                } else if let Some(session) = message["sessionId"].as_str() {
                    let tab = events.lock().unwrap().entry(session.to_owned()).or_default().clone();
                    let method = message["method"].as_str().unwrap_or_default().to_owned();
                    tab.lock().unwrap().push((method, message["params"].take()));
                }
            }
        }
    }
}
