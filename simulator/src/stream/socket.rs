//! A connection to the event stream: a WebSocket below `/gateway`.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, Request, Response, header};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use tokio_util::sync::CancellationToken;

use crate::objects;
use crate::reply::{Body, Reply};
use crate::simulator::Simulator;
use crate::state::BOT_USER;
use crate::stream::session::{Frame, Frames};
use crate::stream::{AUTHENTICATION_FAILED, Identify, Refused, Resume, Stream, invalid_session};

/// The path of the stream; clients add a slash.
pub(crate) const PATH: &str = "/gateway";
/// Codes with which a client ends its session.
const ENDS_SESSION: [u16; 2] = [1000, 1001];

/// The address of the stream, as the client reached the simulator.
pub(crate) fn address(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("ws://{host}{PATH}")
}

/// Answers a request for a WebSocket, and serves it until `shutdown`.
pub(crate) fn accept(
    simulator: &Arc<Simulator>,
    mut request: Request<Incoming>,
    shutdown: &CancellationToken,
) -> Response<Body> {
    let key = request.headers().get(header::SEC_WEBSOCKET_KEY).cloned();
    let refuse = simulator.state().stream.settings.refuse;
    let Some(key) = key.filter(|_| !refuse) else {
        return Reply::chat_error(503, 0, "503: Service Unavailable").into_response();
    };
    let connection =
        Connection { simulator: simulator.clone(), address: address(request.headers()), session: None };
    let upgrade = hyper::upgrade::on(&mut request);
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = connection.serve(upgrade) => {}
            () = shutdown.cancelled() => {}
        }
    });
    let mut response = Reply::nothing().into_response();
    *response.status_mut() = http::StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, http::HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, http::HeaderValue::from_static("websocket"));
    if let Ok(accepted) = derive_accept_key(key.as_bytes()).parse() {
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
    }
    response
}

struct Connection {
    simulator: Arc<Simulator>,
    address: String,
    session: Option<String>,
}

/// How a connection ends.
enum End {
    /// The client closed it, with this code.
    Closed(Option<u16>),
    /// This side closes it.
    Close(u16),
}

impl Connection {
    async fn serve(mut self, upgrade: OnUpgrade) {
        let Ok(upgraded) = upgrade.await else { return };
        let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        let (frames, mut outgoing) = unbounded_channel();
        let end = self.exchange(&mut socket, &frames, &mut outgoing).await;
        let ended = matches!(&end, End::Closed(Some(code)) if ENDS_SESSION.contains(code));
        if let Some(name) = &self.session {
            self.simulator.state_mut().stream.disconnected(name, &frames, ended);
        }
        if let End::Close(code) = end {
            let frame = CloseFrame { code: code.into(), reason: "".into() };
            let _ = socket.close(Some(frame)).await;
        }
    }

    async fn exchange<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        frames: &Frames,
        outgoing: &mut UnboundedReceiver<Frame>,
    ) -> End
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    {
        let heartbeat_interval = self.simulator.state().stream.settings.heartbeat_ms;
        let _ = frames.send(Frame::Text(op(10, json!({ "heartbeat_interval": heartbeat_interval }))));
        loop {
            tokio::select! {
                frame = outgoing.recv() => match frame {
                    Some(Frame::Text(text)) if socket.send(Message::text(text.to_string())).await.is_ok() => {}
                    _ => return End::Closed(None),
                },
                message = socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        if let Err(end) = self.receive(&text, frames) {
                            return end;
                        }
                    }
                    Some(Ok(Message::Close(frame))) => return End::Closed(frame.map(|frame| frame.code.into())),
                    Some(Ok(_)) => {}
                    None | Some(Err(_)) => return End::Closed(None),
                },
            }
        }
    }

    fn receive(&mut self, text: &str, frames: &Frames) -> Result<(), End> {
        let message: Value = serde_json::from_str(text).map_err(|_| End::Close(4002))?;
        let data = message["d"].clone();
        match message["op"].as_u64() {
            Some(1) if self.simulator.state().stream.settings.deaf => Ok(()),
            Some(1) => {
                let _ = frames.send(Frame::Text(op(11, Value::Null)));
                Ok(())
            }
            Some(2) => {
                let form = serde_json::from_value(data).map_err(|_| End::Close(4002))?;
                self.settle(self.identify(&form, frames), frames)
            }
            Some(6) => {
                let form: Resume = serde_json::from_value(data).map_err(|_| End::Close(4002))?;
                self.check(&form.token)?;
                let resumed = self.simulator.state_mut().stream.resume(&form, frames.clone());
                self.settle(resumed.map(|()| form.session_id), frames)
            }
            Some(3 | 4 | 8) => Ok(()),
            _ => Err(End::Close(4001)),
        }
    }

    fn check(&self, token: &str) -> Result<(), End> {
        let known = self.simulator.options.credentials.is_bot(token);
        if known { Ok(()) } else { Err(End::Close(AUTHENTICATION_FAILED)) }
    }

    /// READY, then every guild of the shard.
    fn identify(&self, form: &Identify, frames: &Frames) -> Result<String, Refused> {
        self.check(&form.token).map_err(|_| Refused::Close(AUTHENTICATION_FAILED))?;
        let mut guard = self.simulator.state_mut();
        let state = &mut *guard;
        let name = state.stream.identify(form, state.members_intent, frames.clone())?;
        let mine = |id: &entities::GuildId| state.stream.sessions[&name].gets(*id, u64::MAX);
        let guilds: Vec<_> = state.guilds.iter().filter(|(id, _)| mine(id)).collect();
        let unavailable: Vec<Value> =
            guilds.iter().map(|(id, _)| json!({ "id": id, "unavailable": true })).collect();
        let ready = json!({
            "v": 10, "user": objects::bot(), "guilds": unavailable, "session_id": name, "shard": form.shard,
            "resume_gateway_url": self.address,
            "application": { "id": BOT_USER.to_string(), "flags": 0 },
        });
        let created: Vec<Value> = guilds.iter().map(|(id, guild)| Stream::guild_event(**id, guild)).collect();
        state.stream.tell(&name, "READY", ready);
        for guild in created {
            state.stream.tell(&name, "GUILD_CREATE", guild);
        }
        Ok(name)
    }

    fn settle(&mut self, session: Result<String, Refused>, frames: &Frames) -> Result<(), End> {
        match session {
            Ok(name) => self.session = Some(name),
            Err(Refused::Close(code)) => return Err(End::Close(code)),
            Err(Refused::Invalid) => {
                let _ = frames.send(Frame::Text(invalid_session()));
            }
        }
        Ok(())
    }
}

fn op(op: u8, data: Value) -> Value {
    json!({ "op": op, "d": data, "s": null, "t": null })
}
