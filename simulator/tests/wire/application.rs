//! An application with an interactions endpoint: it checks signatures, answers PINGs, and else says what a test tells it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use reqwest::Method;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};
use simulator::{Application, RateLimit};
use tokio::net::TcpListener;

use crate::peer::{GUILD, Peer, chat};

/// The bot's user, and its application.
pub(crate) const BOT: &str = "900000000000000001";

#[derive(Default)]
struct Said {
    answers: VecDeque<(u16, Value)>,
    /// Interactions with a right signature.
    seen: Vec<Value>,
    accepts_anything: bool,
}

impl Said {
    fn answer(&mut self, is_signed: bool, body: &[u8]) -> (u16, Value) {
        if !is_signed && !self.accepts_anything {
            return (401, json!({ "code": 0 }));
        }
        let interaction: Value = serde_json::from_slice(body).unwrap();
        let is_ping = interaction["type"] == 1;
        self.seen.push(interaction);
        let next = if is_ping { Some((200, json!({ "type": 1 }))) } else { self.answers.pop_front() };
        next.unwrap_or((500, Value::Null))
    }
}

/// A simulator with an application.
pub(crate) struct App {
    pub(crate) peer: Peer,
    pub(crate) url: String,
    said: Arc<Mutex<Said>>,
}

impl App {
    /// With the commands `ban` and `setup button`; its endpoint is set.
    pub(crate) async fn start() -> Self {
        let app = Self::with_commands().await;
        assert_eq!(app.set_endpoint(json!(app.url)).await.0, 200);
        app
    }

    /// The same without an endpoint.
    pub(crate) async fn with_commands() -> Self {
        let app = Self::without_endpoint().await;
        let (status, _) = app.bot(Method::PUT, &format!("/applications/{BOT}/commands"), commands()).await;
        assert_eq!(status, 200);
        app
    }

    pub(crate) async fn without_endpoint() -> Self {
        let peer = Peer::start(3, RateLimit::Off).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/chat/interactions", listener.local_addr().unwrap());
        let said = Arc::new(Mutex::new(Said::default()));
        tokio::spawn(serve(listener, said.clone()));
        Self { peer, url, said }
    }

    /// What it answers next.
    pub(crate) fn answers(&self, status: u16, body: Value) {
        self.said.lock().unwrap().answers.push_back((status, body));
    }

    pub(crate) fn accepts_anything(&self) {
        self.said.lock().unwrap().accepts_anything = true;
    }

    /// The last interaction that it received.
    pub(crate) fn last(&self) -> Value {
        self.said.lock().unwrap().seen.last().cloned().unwrap_or_default()
    }

    pub(crate) async fn set_endpoint(&self, url: Value) -> (u16, Value) {
        self.bot(Method::PATCH, "/applications/@me", json!({ "interactions_endpoint_url": url })).await
    }

    /// A request with the bot's token.
    pub(crate) async fn bot(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        self.send(method, path, body, "Bot t").await
    }

    /// A request without a token.
    pub(crate) async fn open(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        self.send(method, path, body, "").await
    }

    async fn send(&self, method: Method, path: &str, body: Value, token: &str) -> (u16, Value) {
        let url = format!("{}/api/v10{path}", self.peer.url);
        let request = self.peer.http.request(method, url).header("authorization", token).json(&body);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap_or(Value::Null))
    }

    pub(crate) async fn control(&self, path: &str) -> Value {
        let url = format!("{}/control{path}", self.peer.url);
        self.peer.http.get(url).send().await.unwrap().json().await.unwrap()
    }

    /// An interaction of the first member, who owns the guild.
    pub(crate) async fn interact(&self, mut form: Value) -> Value {
        form["user_id"] = json!(chat(0));
        let (status, report) = self.peer.post("/control/interactions", form).await;
        assert_eq!(status, 200, "{report}");
        report
    }

    /// `/ban` with this answer.
    pub(crate) async fn ban(&self, answer: Value) -> Value {
        self.answers(200, answer);
        self.interact(ban()).await
    }

    pub(crate) async fn seen(&self, report: &Value) -> Value {
        self.control(&format!("/interactions/{}", report["interaction_id"].as_str().unwrap())).await
    }

    /// The path of the interaction's webhook.
    pub(crate) fn webhook(&self) -> String {
        format!("/webhooks/{BOT}/{}", self.last()["token"].as_str().unwrap())
    }
}

pub(crate) fn ban() -> Value {
    json!({ "guild_id": GUILD.to_string(), "command": "ban", "options": { "user": chat(1) } })
}

fn commands() -> Value {
    let option = |name: &str, kind: u64| json!({ "name": name, "description": "d", "type": kind });
    let mut user = option("user", 6);
    user["required"] = json!(true);
    let mut days = option("days", 4);
    days["max_value"] = json!(7);
    let mut kind = option("kind", 3);
    kind["choices"] = json!([{ "name": "Short", "value": "short" }]);
    json!([
        { "name": "ban", "description": "Bans",
          "options": [user, option("reason", 3), days, option("silent", 5), option("role", 8), kind] },
        { "name": "setup", "description": "Sets up", "options": [option("button", 1)] },
    ])
}

async fn serve(listener: TcpListener, said: Arc<Mutex<Said>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let said = said.clone();
        let service = service_fn(move |request| answer(request, said.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(
    request: Request<Incoming>,
    said: Arc<Mutex<Said>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let header = |name: &str| head.headers.get(name).map_or("", |value| value.to_str().unwrap());
    let signed = [header("x-signature-timestamp").as_bytes(), &body].concat();
    let key = UnparsedPublicKey::new(&ED25519, hex::decode(Application::PUBLIC_KEY).unwrap());
    let is_signed =
        key.verify(&signed, &hex::decode(header("x-signature-ed25519")).unwrap_or_default()).is_ok();
    let age = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
        - header("x-signature-timestamp").parse::<u64>().unwrap_or_default();
    let (status, answer) = said.lock().unwrap().answer(is_signed && age < 60, &body);
    if answer == "silent" {
        std::future::pending::<()>().await;
    }
    let mut response = Response::new(Full::new(answer.to_string().into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    Ok(response)
}
