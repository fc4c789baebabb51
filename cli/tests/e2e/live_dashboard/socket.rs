//! A client of the live socket.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use testkit::Deployment;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use testkit::console::Console;

const WAIT_LIMIT: Duration = Duration::from_secs(15);
const COOKIE: &str = "__Host-guildhall";

pub(crate) struct Socket {
    pub(super) stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(super) hello: Value,
}

pub(super) fn path(guild: &str, last_id: &str) -> String {
    let query = if last_id.is_empty() { String::new() } else { format!("?last_id={last_id}") };
    format!("/ws/guilds/{guild}/live{query}")
}

/// The headers of a person's browser.
pub(super) fn browser(console: &Console) -> Vec<(&'static str, String)> {
    vec![
        ("cookie", format!("{COOKIE}={}", console.cookie(COOKIE).unwrap())),
        ("origin", console.base().to_owned()),
    ]
}

pub(super) async fn connect(
    base: &str,
    path: &str,
    headers: &[(&'static str, String)],
) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, (u16, Value)> {
    let mut request = format!("{}{path}", base.replace("http://", "ws://")).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => {
            let status = response.status().as_u16();
            let body = response.into_body().unwrap_or_default();
            Err((status, serde_json::from_slice(&body).unwrap()))
        }
        Err(error) => panic!("{error:?}"),
    }
}

impl Socket {
    pub(super) async fn open(base: &str, path: &str, headers: &[(&'static str, String)]) -> Self {
        let stream = connect(base, path, headers).await.unwrap();
        let mut socket = Self { stream, hello: Value::Null };
        let hello = socket.frame().await;
        assert_eq!(hello["type"], "hello", "{hello}");
        Self { hello, ..socket }
    }

    pub(crate) async fn of(deployment: &Deployment, console: &Console) -> Self {
        Self::open(console.base(), &path(&deployment.guild().id, ""), &browser(console)).await
    }

    pub(super) async fn next(&mut self) -> Message {
        let next = tokio::time::timeout(WAIT_LIMIT, self.stream.next()).await;
        next.expect("something arrives").expect("the socket is open").unwrap()
    }

    pub(crate) async fn frame(&mut self) -> Value {
        let message = self.next().await;
        let frame: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        assert!(frame["type"].is_string() && frame["data"].is_object() && frame["id"].is_string(), "{frame}");
        assert_eq!(frame.as_object().unwrap().len(), 3, "{frame}");
        frame
    }

    /// Skips frames of other types.
    pub(super) async fn of_type(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.frame().await;
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    /// A frame of each type, in whatever order they come: changes and audit entries are read apart.
    pub(super) async fn of_each(&mut self, one: &str, other: &str) -> [Value; 2] {
        loop {
            let frame = self.frame().await;
            if frame["type"] == one {
                return [frame, self.of_type(other).await];
            }
            if frame["type"] == other {
                return [self.of_type(one).await, frame];
            }
        }
    }

    pub(super) async fn close_code(&mut self) -> u16 {
        loop {
            if let Message::Close(frame) = self.next().await {
                return frame.expect("a close frame says why").code.into();
            }
        }
    }
}
