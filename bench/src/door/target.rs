//! The target of hostile clients, and their connections.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub(super) const HAMMERS: usize = 16;
/// A client that has lost its connection tries again after this.
pub(super) const AGAIN: Duration = Duration::from_millis(10);

#[derive(Clone)]
pub(super) struct Target {
    pub(super) address: SocketAddr,
    /// The hostile guild, which is the first.
    pub(super) guild: String,
    pub(super) staff: String,
    /// Of the console: the guild's owner, who is its admin, and others who may read its audit log.
    pub(super) admins: Vec<String>,
    /// The cookie of a person without rights there.
    pub(super) stranger: String,
    pub(super) over: Arc<AtomicBool>,
}

impl Target {
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(super) async fn until_over(&self) {
        while !self.is_over() {
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// With small buffers, because their memory is measured too.
    fn socket() -> std::io::Result<TcpSocket> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(4096)?;
        socket.set_send_buffer_size(16 * 1024)?;
        Ok(socket)
    }

    /// From one of many addresses, like attackers.
    pub(super) async fn connect(&self, number: usize) -> std::io::Result<TcpStream> {
        let socket = Self::socket()?;
        let source = Ipv4Addr::new(127, 0, 2, u8::try_from(number % 200).unwrap_or_default() + 1);
        socket.bind((source, 0).into())?;
        socket.connect(self.address).await
    }

    /// Sends requests one after the other, each after the answer to the previous one, over `connections` from
    /// one address.
    pub(super) async fn hammer<R: AsRef<[u8]>>(
        &self,
        connections: usize,
        request: impl Fn(usize, usize) -> R,
    ) {
        join_all((0..connections).map(async |client| {
            let (mut stream, mut answer) = (None, vec![0; 64 * 1024]);
            for turn in 0.. {
                if self.is_over() {
                    return;
                }
                let connected = match stream.take() {
                    Some(connected) => Ok(connected),
                    None => match Self::socket() {
                        Ok(socket) => socket.connect(self.address).await,
                        Err(error) => Err(error),
                    },
                };
                let Ok(mut connected) = connected else {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                };
                let sent = connected.write_all(request(client, turn).as_ref()).await;
                match connected.read(&mut answer).await {
                    Ok(1..) if sent.is_ok() => stream = Some(connected),
                    _ => tokio::time::sleep(AGAIN).await,
                }
            }
        }))
        .await;
    }
}
