//! The upgrade of a request to a WebSocket. warp's own gives each socket a read buffer of 128 KiB.

use http::{HeaderMap, Request};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// Bytes of a client's message. Messages of clients are read and dropped.
const MESSAGE_MAX: usize = 4 * 1024;
/// Bytes for reading; each socket keeps them. A client sends little more than pongs.
const READ_BUFFER: usize = 512;
/// Bytes of frames that are sent at once.
const WRITE_BUFFER: usize = 4 * 1024;

pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The headers of the answer to a GET; `None`: this is not a request for a WebSocket of version 13.
pub(crate) fn accept(headers: &HeaderMap) -> Option<HeaderMap> {
    let mut request = Request::new(());
    *request.headers_mut() = headers.clone();
    Some(create_response(&request).ok()?.into_parts().0.headers)
}

/// The socket, once the answer has been sent.
pub(crate) async fn socket(pending: OnUpgrade) -> hyper::Result<Socket> {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(MESSAGE_MAX))
        .max_frame_size(Some(MESSAGE_MAX));
    let stream = TokioIo::new(pending.await?);
    Ok(WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await)
}
