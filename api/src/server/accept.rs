//! The accept loop around warp's service, with what warp's own server lacks: it disconnects slow clients, sends small
//! responses at once, limits connections, and on shutdown finishes requests in flight without waiting for idle clients.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::request::client_address;
use crate::server::admitted::{Admission, OpenConnections};
use crate::state::State;

/// Pause after a failed accept: usually the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts until shutdown begins.
pub(super) async fn accept<F>(
    listener: &TcpListener,
    state: &State,
    connections: &TaskTracker,
    serve: impl Fn(TcpStream, SocketAddr, Admission) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let (capacity, shutdown) = (state.capacity, &state.context.shutdown);
    // At the limit, new connections wait in the system's queue.
    let permits = state.connections.clone();
    let admitted = OpenConnections::default();
    let most_of = |address: &IpAddr| {
        // A trusted proxy forwards connections of many clients.
        let trusted = client_address::is_trusted(*address, &state.options.trusted_proxies);
        if trusted { capacity.connections } else { capacity.connections_per_address }
    };
    let next = async || {
        let permit = permits.clone().acquire_owned().await;
        (listener.accept().await, permit)
    };
    while let Some((accepted, permit)) = shutdown.soft().run_until_cancelled(next()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(admission) = admitted.admit(peer.ip(), most_of(&peer.ip())) else {
            metrics::counter!("guildhall_http_connections_refused_total").increment(1);
            continue;
        };
        let connection = shutdown.tracker().track_future(serve(stream, peer, admission));
        connections.spawn(async move {
            connection.await;
            drop(permit);
        });
        // Connections accepted before come first.
        tokio::task::yield_now().await;
    }
}
