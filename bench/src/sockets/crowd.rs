//! Game servers: many sockets that note when frames arrive.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
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
    /// Whether it notes the frames that arrive.
    pub(super) notes: bool,
}

#[derive(Clone)]
pub(super) struct Crowd {
    address: SocketAddr,
    /// Frames that were noted since the last `received`.
    received: Arc<Mutex<Vec<Instant>>>,
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
                    match crowd.open(&seat, number).await {
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
                    if seat.notes && message.is_text() {
                        crowd.lock().push(Instant::now());
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

    async fn open(&self, seat: &Seat, number: usize) -> anyhow::Result<WebSocketStream<TcpStream>> {
        let socket = TcpSocket::new_v4()?;
        let source = Ipv4Addr::new(127, 0, 1, u8::try_from(number % SOURCES)? + 1);
        socket.bind((source, 0).into())?;
        let stream = socket.connect(self.address).await?;
        let mut request = format!("ws://{}{}", self.address, seat.path).into_client_request()?;
        request.headers_mut().insert("x-api-key", seat.key.parse()?);
        let small = WebSocketConfig::default().read_buffer_size(1024);
        Ok(client_async_with_config(request, stream, Some(small)).await?.0)
    }

    /// When frames arrived since the last call.
    pub(super) fn received(&self) -> Vec<Instant> {
        std::mem::take(&mut *self.lock())
    }

    /// Failed attempts so far.
    pub(super) fn failed(&self) -> usize {
        self.failed.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Low-priority threads: game servers have machines of their own.
pub(super) fn patient() -> anyhow::Result<Handle> {
    let threads = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .on_thread_start(|| {
            // Only this thread. Without it the figures are only worse.
            let _ = rustix::process::setpriority_process(None, 19);
        })
        .build()?;
    let handle = threads.handle().clone();
    // They end with the program.
    std::mem::forget(threads);
    Ok(handle)
}
