//! A TCP proxy that fails when told: late, cut, silent, reset, refusing. It stands between a process and one of its
//! servers, so that a fault hits that process alone and the server none.
//!
//! It runs on a thread of its own: a test that blocks does not hold it up. Orders count for whatever is read after
//! they were given.

mod connection;
mod order;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{oneshot, watch};

pub use order::{ORDERS, Order};

const BACKLOG: u32 = 1024;
/// Pause after a port could not be taken back, or a connection not accepted.
const PAUSE: Duration = Duration::from_millis(20);

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToTarget,
    ToClient,
}

impl Way {
    pub const BOTH: [Self; 2] = [Self::ToTarget, Self::ToClient];
}

/// What holds at the moment, each way in its place of [`Way::BOTH`].
#[derive(Clone, Default)]
struct Plan {
    latency: [Duration; 2],
    /// Bytes that a connection still passes on, counted anew from the order of this number.
    cut: [Option<(u64, u64)>; 2],
    silent: bool,
    refusing: bool,
    /// Connections that began before the last reset end by it.
    resets: u64,
    orders: u64,
}

#[derive(Default)]
struct Counts {
    connections: AtomicU64,
    open: AtomicU64,
    bytes: [AtomicU64; 2],
}

/// Ends with its value: connections are closed, the port is free again.
pub struct Proxy {
    address: SocketAddr,
    plan: watch::Sender<Plan>,
    counts: Arc<Counts>,
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Proxy {
    /// Listens on a free port of the loopback interface; `target` is `host:port`.
    pub fn start(target: &str) -> io::Result<Self> {
        Self::listen("127.0.0.1:0".parse().map_err(io::Error::other)?, target)
    }

    /// Before the server that `url` names with host and port; [`Proxy::url`] leads through it.
    pub fn before(url: &str) -> io::Result<Self> {
        let authority = parts(url).2;
        if authority.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            return Err(io::Error::other("the URL names no port"));
        }
        Self::start(authority)
    }

    pub fn listen(address: SocketAddr, target: &str) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (plan, orders) = watch::channel(Plan::default());
        let counts = Arc::<Counts>::default();
        let (stop, stopped) = oneshot::channel();
        let front = Front { address, target: target.to_owned(), plan: orders, counts: Arc::clone(&counts) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = front.accept(listener) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, plan, counts, thread: Some((stop, thread)) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `url` with the proxy's address in the place of its own host and port.
    pub fn url(&self, url: &str) -> String {
        let (scheme, user, _, path) = parts(url);
        format!("{scheme}://{user}{}{path}", self.address)
    }

    /// Everything read from now on arrives this much later, in its order. It costs no throughput.
    pub fn latency(&self, to_target: Duration, to_client: Duration) {
        self.change(|plan| plan.latency = [to_target, to_client]);
    }

    /// Each connection, now and later, ends after passing on `bytes` more this way, in the middle of whatever it was.
    pub fn cut_after(&self, way: Way, bytes: u64) {
        self.change(|plan| plan.cut[way as usize] = Some((plan.orders, bytes)));
    }

    /// Nothing passes and nothing ends: new connections are accepted and left alone. As with a peer whose machine has
    /// vanished, a connection that was silenced never speaks again, also after [`heal`](Self::heal).
    pub fn half_open(&self) {
        self.change(|plan| plan.silent = true);
    }

    /// Ends all connections by RST, both sides. New ones are served.
    pub fn reset(&self) {
        self.change(|plan| plan.resets += 1);
    }

    /// New connections are refused; those that are there go on.
    pub fn refuse(&self) {
        self.change(|plan| plan.refusing = true);
    }

    /// From now on it is as if it was not there.
    pub fn heal(&self) {
        self.change(|plan| {
            *plan = Plan { resets: plan.resets, orders: plan.orders, ..Plan::default() };
        });
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.counts.connections.load(Ordering::Relaxed)
    }

    /// Connections that neither side has ended yet.
    pub fn open(&self) -> u64 {
        self.counts.open.load(Ordering::Relaxed)
    }

    /// Bytes passed on so far.
    pub fn bytes(&self, way: Way) -> u64 {
        self.counts.bytes[way as usize].load(Ordering::Relaxed)
    }

    fn change(&self, change: impl FnOnce(&mut Plan)) {
        self.plan.send_modify(|plan| {
            plan.orders += 1;
            change(plan);
        });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            // It ends only here, unless it panicked: then there is nothing left to end.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

/// Scheme, `user:password@` or nothing, host with port, and all that follows.
fn parts(url: &str) -> (&str, &str, &str, &str) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("tcp", url));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (user, host) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    (scheme, user, host, path)
}

/// The side that listens.
struct Front {
    address: SocketAddr,
    target: String,
    plan: watch::Receiver<Plan>,
    counts: Arc<Counts>,
}

impl Front {
    async fn accept(mut self, listener: std::net::TcpListener) {
        let Ok(mut listener) = TcpListener::from_std(listener) else { return };
        loop {
            self.take_connections(listener).await;
            listener = self.refuse_connections().await;
        }
    }

    /// Until connections are to be refused.
    async fn take_connections(&mut self, listener: TcpListener) {
        let mut plan = self.plan.clone();
        let refused = async { plan.wait_for(|plan| plan.refusing).await.map(drop) };
        tokio::pin!(refused);
        loop {
            tokio::select! {
                biased;
                ended = &mut refused => match ended {
                    Ok(()) => return,
                    Err(_) => std::future::pending().await,
                },
                accepted = listener.accept() => match accepted {
                    Ok((client, _)) => self.serve(client),
                    Err(_) => tokio::time::sleep(PAUSE).await,
                },
            }
        }
    }

    fn serve(&self, client: TcpStream) {
        self.counts.connections.fetch_add(1, Ordering::Relaxed);
        let (target, plan, counts) = (self.target.clone(), self.plan.clone(), Arc::clone(&self.counts));
        tokio::spawn(async move {
            counts.open.fetch_add(1, Ordering::Relaxed);
            connection::serve(client, &target, plan, &counts).await;
            counts.open.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// The port is held but not listened on, so that the system itself refuses; until it is healed.
    async fn refuse_connections(&mut self) -> TcpListener {
        let held = eventually(|| hold(self.address)).await;
        if self.plan.wait_for(|plan| !plan.refusing).await.is_err() {
            std::future::pending::<()>().await;
        }
        match held.listen(BACKLOG) {
            Ok(listener) => listener,
            Err(_) => eventually(|| hold(self.address)?.listen(BACKLOG)).await,
        }
    }
}

fn hold(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

async fn eventually<T>(mut open: impl FnMut() -> io::Result<T>) -> T {
    loop {
        match open() {
            Ok(opened) => return opened,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}
