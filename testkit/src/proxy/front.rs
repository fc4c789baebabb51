//! The listening side of the proxy: accepts connections, or holds the port and refuses them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::proxy::connection::serve;
use crate::proxy::plan::{Counts, Plan};

const BACKLOG: u32 = 1024;
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) struct Front {
    pub(crate) address: SocketAddr,
    pub(crate) target: String,
    pub(crate) plan: watch::Receiver<Plan>,
    pub(crate) counts: Arc<Counts>,
}

impl Front {
    pub(crate) async fn accept(mut self, listener: std::net::TcpListener) {
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
            serve(client, &target, plan, &counts).await;
            counts.open.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// The port is bound without listening, so that the system itself refuses connections, until healed.
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
