//! A TCP proxy that injects faults on command: latency, cut, silence, reset, refusal. It stands between a process and
//! one of its servers, so a fault affects only that process.
//!
//! It runs on its own thread: a blocking test does not delay it. Commands apply to all data read after
//! them.

mod connection;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

pub use connection::Way;

use connection::Plan;

/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// Ends on drop: closes the connections and frees the port.
pub struct Proxy {
    address: SocketAddr,
    plan: watch::Sender<Plan>,
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Proxy {
    /// A proxy for the server in `url`; [`Proxy::url`] leads through it.
    pub fn before(url: &str) -> io::Result<Self> {
        let authority = parts(url).2;
        if authority.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            return Err(io::Error::other("the URL names no port"));
        }
        Self::start(authority)
    }

    /// Listens on a free port of the loopback interface; `target` is `host:port`.
    pub fn start(target: &str) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (plan, settings) = watch::channel(Plan::default());
        let (stop, stopped) = oneshot::channel();
        let target = target.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, &target, settings) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, plan, thread: Some((stop, thread)) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `url` with the proxy's address in place of its host and port.
    pub fn url(&self, url: &str) -> String {
        let (scheme, user, _, path) = parts(url);
        format!("{scheme}://{user}{}{path}", self.address)
    }

    /// Delays all data read from now on by this much, in order, without a loss of throughput.
    pub fn latency(&self, to_target: Duration, to_client: Duration) {
        self.change(|plan| plan.latency = [to_target, to_client]);
    }

    /// Each connection, now and later, ends after forwarding `bytes` more this way, even within a message.
    pub fn cut_after(&self, way: Way, bytes: u64) {
        self.change(|plan| plan.cut[way as usize] = Some((plan.commands, bytes)));
    }

    /// Forwards nothing and ends nothing: new connections are accepted and ignored. As with a peer whose machine
    /// vanished, a silenced connection never sends again, even after [`heal`](Self::heal).
    pub fn half_open(&self) {
        self.change(|plan| plan.silent = true);
    }

    /// Ends all connections by RST on both sides. New ones are served.
    pub fn reset(&self) {
        self.change(|plan| plan.resets += 1);
    }

    /// Like [`reset`](Self::reset), and new connections are refused, as if the server's process had ended.
    pub fn refuse(&self) {
        self.change(|plan| {
            plan.resets += 1;
            plan.refusing = true;
        });
    }

    pub fn heal(&self) {
        self.change(|plan| {
            *plan = Plan { resets: plan.resets, commands: plan.commands, ..Plan::default() };
        });
    }

    fn change(&self, change: impl FnOnce(&mut Plan)) {
        self.plan.send_modify(|plan| {
            plan.commands += 1;
            change(plan);
        });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            // It ends only here, unless it panicked: then nothing is left to end.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

async fn accept(listener: std::net::TcpListener, target: &str, mut plan: watch::Receiver<Plan>) {
    let Ok(address) = listener.local_addr() else { return };
    let mut bound = TcpListener::from_std(listener);
    loop {
        if let Ok(listener) = bound {
            let mut settings = plan.clone();
            tokio::select! {
                _ = settings.wait_for(|plan| plan.refusing) => {}
                () = serve_all(listener, target, &plan) => {}
            }
        } else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
        if plan.wait_for(|plan| !plan.refusing).await.is_err() {
            return;
        }
        bound = TcpListener::bind(address).await;
    }
}

async fn serve_all(listener: TcpListener, target: &str, plan: &watch::Receiver<Plan>) {
    loop {
        match listener.accept().await {
            Ok((client, _)) => {
                let (target, plan) = (target.to_owned(), plan.clone());
                tokio::spawn(async move { connection::serve(client, &target, plan).await });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Scheme, `user:password@` or nothing, host with port, and the rest.
fn parts(url: &str) -> (&str, &str, &str, &str) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("tcp", url));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (user, host) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    (scheme, user, host, path)
}
