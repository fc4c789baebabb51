//! A headless Chromium of the test's own, driven through the protocol of its developer tools.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use testkit::eventually;
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const STARTS_WITHIN: Duration = Duration::from_secs(30);
/// Beside other browsers on two cores, a check of a long page takes ten times as long as alone.
const ANSWERS_WITHIN: Duration = Duration::from_secs(90);

/// What the browser reported of one tab: the method and its parameters.
pub(super) type Events = Arc<Mutex<Vec<(String, Value)>>>;

pub(super) struct Browser {
    commands: mpsc::UnboundedSender<(Value, oneshot::Sender<Value>)>,
    events: Arc<Mutex<HashMap<String, Events>>>,
    // In this order: the process ends before its folder goes.
    _process: Group,
    _folder: tempfile::TempDir,
}

/// The process and all that it started, which end together: the program may be a script that starts the browser.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0.id().and_then(|id| Pid::from_raw(id.try_into().unwrap())) {
            // It may have ended by itself.
            let _ended = kill_process_group(group, Signal::KILL);
        }
    }
}

/// `GUILDHALL_TEST_CHROMIUM`, or Debian's package, which `./test` installs: it is the one without windows.
fn program() -> PathBuf {
    let named = std::env::var_os("GUILDHALL_TEST_CHROMIUM").map(PathBuf::from);
    let file = named.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium-headless-shell"));
    assert!(file.is_file(), "no {}: install it, or set GUILDHALL_TEST_CHROMIUM", file.display());
    file
}

impl Browser {
    pub(super) async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("guildhall-browser-").tempdir().unwrap();
        let mut command = Command::new(program());
        command.args([
            "--headless",
            "--no-sandbox",
            "--remote-debugging-port=0",
            "--no-first-run",
            "--disable-gpu",
        ]);
        command.args(["--disable-quic", "--disable-background-networking", "--disable-dev-shm-usage"]);
        command.arg(format!("--user-data-dir={}", folder.path().display())).arg("about:blank");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Group(command.process_group(0).spawn().unwrap());
        let file = folder.path().join("DevToolsActivePort");
        let address = eventually("Chromium listens", STARTS_WITHIN, async || {
            let text = std::fs::read_to_string(&file).ok()?;
            let (port, path) = text.trim().split_once('\n')?;
            Some(format!("ws://127.0.0.1:{port}{path}"))
        })
        .await;
        let (commands, receiver) = mpsc::unbounded_channel();
        let events = Arc::default();
        tokio::spawn(talk(address, receiver, Arc::clone(&events)));
        Self { commands, events, _process: process, _folder: folder }
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

    /// A new tab: its session, and what it reports.
    pub(super) async fn attach(&self) -> (String, Events) {
        // With cookies of its own: each tab is another person's browser.
        let context = self.call(None, "Target.createBrowserContext", json!({})).await;
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
