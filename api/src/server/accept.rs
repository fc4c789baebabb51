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
        let permit = permits.clone().acquire_owned().await.ok();
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
        let Some(mut admission) = admitted.admit(peer.ip(), most_of(&peer.ip())) else {
            metrics::counter!("guildhall_http_connections_refused_total").increment(1);
            continue;
        };
        admission.permit = permit;
        connections.spawn(shutdown.tracker().track_future(serve(stream, peer, admission)));
        // Connections accepted before come first.
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use warp::Filter;

    use super::*;
    use crate::call::fixture::CallFixture;
    use crate::server::connection;

    #[tokio::test]
    async fn a_socket_that_waits_for_its_turn_keeps_no_request_out() {
        let fixture = CallFixture::new().await;
        let state: &Arc<State> = &fixture.state;
        // One connection is left, and a socket waits for as long as it may.
        let others = u32::try_from(state.capacity.connections - 1).unwrap();
        state.connections.acquire_many(others).await.unwrap().forget();
        state.socket_pace.wait(Duration::from_secs(3_600)).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, service) = (TaskTracker::new(), warp::service(warp::any().map(|| "")));
        let accepting = accept(&listener, state, &connections, |stream, peer, admission| {
            connection::serve(stream, peer.ip(), admission, service, state.clone())
        });
        let asked = async |request: &[u8]| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(request).await.unwrap();
            stream
        };
        let clients = async {
            let socket = asked(b"GET /ws/ HTTP/1.1\r\nhost: x\r\n\r\n").await;
            let mut request = asked(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
            let mut answer = String::new();
            tokio::select! {
                biased;
                _ = socket.readable() => panic!("the request waited for the socket"),
                read = request.read_to_string(&mut answer) => assert!(read.unwrap() > 0),
            }
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        };
        tokio::select! {
            () = accepting => panic!("nobody ended it"),
            () = clients => {}
        }
        state.context.shutdown.cut();
    }
}
