//! Opens one connection within a time limit and frees it afterwards. The library's own attempt cannot be aborted:
//! against a broker that accepts and never answers, each try would keep a socket and a thread.

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lapin::tcp::{AMQPUriTcpExt, AsyncTcpStream};
use lapin::uri::AMQPUri;
use lapin::{Connection, ConnectionProperties, Error, ErrorKind};
use runtime::{AMQP_URL, FRAME_BYTES_MIN, StartError, amqp_uri};

/// Heartbeat interval of both sides. After two missed heartbeats the broker requeues the worker's messages.
const HEARTBEAT_SECONDS: u16 = 5;
/// Bytes of the largest frame. The library keeps room for 64 of them per connection; a message of ours is one of some hundred
/// bytes, and a longer one takes several.
const FRAME_BYTES: u32 = FRAME_BYTES_MIN;
/// Connect timeout: a running broker greets at once, a starting one is retried soon.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Codes with which a broker closes a connection that it will never accept: wrong credentials, no such virtual host.
const REFUSAL_CODES: [u16; 2] = [403, 530];

#[derive(Debug, thiserror::Error)]
pub(super) enum DialError {
    /// A retry would not help.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

impl From<Error> for DialError {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::ProtocolError(closed) if REFUSAL_CODES.contains(&closed.kind().get_id()) => {
                Self::Refused(closed.get_message().to_string())
            }
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<DialError> for String {
    fn from(error: DialError) -> Self {
        error.to_string()
    }
}

/// Distinguishes a broker that is away from one that will never accept this URL: wrong credentials, no such
/// virtual host.
pub(super) async fn check(url: &str) -> Result<(), StartError> {
    let uri = amqp_uri(url)?;
    let error = match connect(url, "check").await {
        Ok(connection) => {
            // The check is done: an error while closing is irrelevant.
            drop(connection.close(200, "checked".into()).await);
            return Ok(());
        }
        Err(error) => error,
    };
    let (what, target, variable) =
        ("RabbitMQ", format!("{}:{}", uri.authority.host, uri.authority.port), AMQP_URL);
    Err(match error {
        DialError::Failed(reason) => StartError::Unreachable { what, target, reason, variable },
        DialError::Refused(reason) => StartError::Credentials { what, target, reason, variable },
    })
}

/// A connection that reports its end and has a name for the broker's operator.
pub(super) async fn connect(url: &str, name: &str) -> Result<Connection, DialError> {
    let mut uri = amqp_uri(url).map_err(|error| DialError::Refused(error.to_string()))?;
    uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
    uri.query.frame_max.get_or_insert(FRAME_BYTES);
    let properties =
        ConnectionProperties::default().with_connection_name(format!("guildhall {name}").as_str().into());
    let attempt = Attempt::default();
    let socket = attempt.clone();
    let runtime = lapin::runtime::default_runtime()?;
    let connecting = Connection::connector(
        uri,
        runtime,
        async move |uri: AMQPUri, runtime| {
            let opening = uri.connect_async(&runtime);
            let silent = || Error::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
            let stream = tokio::time::timeout(CONNECT_TIMEOUT, opening).await.map_err(|_| silent())??;
            let tcp = match &stream {
                AsyncTcpStream::Plain(plain) => Some(plain.get_ref()),
                AsyncTcpStream::Rustls(tls) => Some(tls.get_ref().0.get_ref()),
                _ => None,
            };
            if let Some(tcp) = tcp {
                socket.opened(tcp.as_fd().try_clone_to_owned()?.into());
            }
            Ok(stream)
        },
        properties,
    );
    match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            attempt.give_up();
            Err(DialError::Failed(format!("no answer within {} s", CONNECT_TIMEOUT.as_secs())))
        }
    }
}

/// The socket of an attempt, which a timeout closes.
#[derive(Clone, Default)]
struct Attempt(Arc<Mutex<(Option<TcpStream>, bool)>>);

impl Attempt {
    fn opened(&self, socket: TcpStream) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1 {
            close(&socket);
        } else {
            state.0 = Some(socket);
        }
    }

    fn give_up(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = true;
        state.0.take().iter().for_each(close);
    }
}

fn close(socket: &TcpStream) {
    // It may be closed already.
    drop(socket.shutdown(Shutdown::Both));
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use lapin::BasicProperties;
    use lapin::options::{BasicGetOptions, BasicPublishOptions, QueueDeclareOptions};
    use lapin::types::FieldTable;
    use testkit::Servers;

    use super::*;

    /// Longest time until the end of a connection is seen on a loaded machine.
    const WAIT_LIMIT: Duration = Duration::from_secs(20);

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_aborted_attempt_leaves_no_socket_open() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("amqp://guildhall:secret@{}/%2f", listener.local_addr().unwrap());
        // It accepts, reads what the client sends, and never answers.
        let silent = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.set_read_timeout(Some(CONNECT_TIMEOUT + WAIT_LIMIT)).unwrap();
            let mut heard = Vec::new();
            client.read_to_end(&mut heard).map(|_| heard)
        });
        let error = connect(&url, "test").await.map(drop).unwrap_err().to_string();
        assert_eq!(error, "no answer within 3 s");
        let heard = silent.join().unwrap().expect("the client closes its side");
        assert!(heard.starts_with(b"AMQP"), "{heard:?}");
    }

    #[tokio::test]
    async fn a_connection_keeps_room_for_short_messages_and_takes_longer_ones() {
        let connection = connect(&Servers::from_env().amqp, "test").await.unwrap();
        assert_eq!(connection.configuration().frame_max(), FRAME_BYTES);
        let channel = connection.create_channel().await.unwrap();
        let own = QueueDeclareOptions::exclusive();
        let queue = channel.queue_declare("".into(), own, FieldTable::default()).await.unwrap();
        let long = vec![b'x'; 3 * FRAME_BYTES as usize];
        let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
        let name = queue.name().clone();
        let sent = channel.basic_publish("".into(), name.clone(), options, &long, properties).await;
        sent.unwrap().await.unwrap();
        let got = channel.basic_get(name, BasicGetOptions::default()).await.unwrap();
        assert_eq!(got.unwrap().delivery.data, long);
    }

    #[tokio::test]
    async fn a_closed_port_fails_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("amqp://guildhall:secret@{}/%2f", listener.local_addr().unwrap());
        drop(listener);
        let error = connect(&url, "test").await.map(drop).unwrap_err().to_string();
        assert!(error.contains("refused") && !error.contains("secret"), "{error}");
    }
}
