//! Game servers: many sockets that note when frames arrive.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// Source addresses: one address has too few ports for reconnects in quick succession.
const SOURCES: usize = 50;
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Where and as whom a socket connects.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) path: String,
    pub(super) key: String,
    pub(super) guild: usize,
}

pub(super) type Socket = WebSocketStream<TcpStream>;

#[derive(Clone)]
pub(super) struct Crowd {
    address: SocketAddr,
    /// Receipts of frames since the last `clear`, with the guild.
    received: Arc<Mutex<Vec<(usize, Instant)>>>,
    /// Attempts that failed.
    failed: Arc<AtomicUsize>,
}

impl Crowd {
    pub(super) fn new(address: &str) -> anyhow::Result<Self> {
        Ok(Self { address: address.parse()?, received: Arc::default(), failed: Arc::default() })
    }

    /// Opens the sockets, at most `at_once` of them at a time; each reads until it is dropped with the set.
    pub(super) async fn enter(
        &self,
        seats: &[Seat],
        at_once: usize,
        threads: &Handle,
    ) -> anyhow::Result<JoinSet<()>> {
        let permits = Arc::new(Semaphore::new(at_once));
        let (opened, mut all_opened) = tokio::sync::mpsc::unbounded_channel();
        let mut sockets = JoinSet::new();
        for (number, seat) in seats.iter().cloned().enumerate() {
            let (crowd, permits, opened) = (self.clone(), permits.clone(), opened.clone());
            let reading = async move {
                let permit = permits.acquire().await;
                let mut socket = loop {
                    match crowd.open(&seat, number, None).await {
                        Ok(socket) => break socket,
                        Err(_) => {
                            crowd.failed.fetch_add(1, Ordering::Relaxed);
                            tokio::time::sleep(RETRY_AFTER).await;
                        }
                    }
                };
                drop(permit);
                let _ = opened.send(());
                drop(opened);
                while let Some(Ok(message)) = socket.next().await {
                    if let Message::Text(_) = message {
                        crowd.lock().push((seat.guild, Instant::now()));
                    }
                }
            };
            sockets.spawn_on(reading, threads);
        }
        drop(opened);
        for _ in seats {
            anyhow::ensure!(all_opened.recv().await.is_some(), "a socket was closed early");
        }
        Ok(sockets)
    }

    /// With a small receive buffer if given.
    pub(super) async fn open(
        &self,
        seat: &Seat,
        number: usize,
        receive: Option<u32>,
    ) -> anyhow::Result<Socket> {
        let socket = TcpSocket::new_v4()?;
        if let Some(bytes) = receive {
            socket.set_recv_buffer_size(bytes)?;
        }
        let source = Ipv4Addr::new(127, 0, 1, u8::try_from(number % SOURCES)? + 1);
        socket.bind((source, 0).into())?;
        let stream = socket.connect(self.address).await?;
        let mut request = format!("ws://{}{}", self.address, seat.path).into_client_request()?;
        request.headers_mut().insert("x-api-key", seat.key.parse()?);
        let small = WebSocketConfig::default().read_buffer_size(1024);
        Ok(client_async_with_config(request, stream, Some(small)).await?.0)
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// How many frames arrived at a guild since the last `clear`.
    pub(super) fn count(&self, guild: usize) -> usize {
        self.lock().iter().filter(|(of, _)| *of == guild).count()
    }

    /// Milliseconds from `asked` to each receipt of a guild.
    pub(super) fn since(&self, guild: usize, asked: Instant) -> Vec<f64> {
        let received = self.lock();
        let of_guild = received.iter().filter(|(of, _)| *of == guild);
        of_guild.map(|(_, at)| at.saturating_duration_since(asked).as_secs_f64() * 1e3).collect()
    }

    /// Failed attempts so far.
    pub(super) fn failed(&self) -> usize {
        self.failed.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(usize, Instant)>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
