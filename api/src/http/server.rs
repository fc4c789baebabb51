//! The accept loop around warp's service: what warp's own server lacks. Slow clients are closed, small answers leave
//! at once, connections are counted, and a stop lets requests in flight end but does not wait for idle clients.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use platforms::Platforms;
use queue::Queue;
use runtime::{Context, Shutdown};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tower_service::Service;

use super::connections::{Addresses, MAX_CONNECTIONS, Seat};
use super::filter::{self, Peer};
use crate::Options;
use crate::app::App;

/// From the first moment of a connection, or the end of its last request, until the next request's headers are in.
/// So it closes idle connections too: clients that call every 30 s open a new one each time.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a request's head; with more hyper answers 431.
const HEAD_LIMIT: usize = 64 * 1024;
/// Pause after a failed accept: usually the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves the API until shutdown begins and the last connection has ended or was cut.
///
/// Tasks are spawned on the trackers of the shutdown, so waiting for that one covers this too.
pub async fn serve(
    context: Context,
    queue: Queue,
    platforms: Platforms,
    listener: TcpListener,
    options: Options,
) {
    let shutdown = context.shutdown.clone();
    if options.distributed {
        context.limits.announce(&shutdown);
    }
    let app = App::new(context, queue, platforms);
    let listening = crate::guard::listen(app.clone());
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(listening));
    let service = warp::service(filter::of(app));
    let connections = TaskTracker::new();
    accept(&listener, &shutdown, &connections, |stream, peer, seat| {
        serve_connection((stream, peer, seat), service.clone(), shutdown.clone())
    })
    .await;
    // Nobody new is let in: whoever knocks is refused by the system and goes to another process.
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn accept<F>(
    listener: &TcpListener,
    shutdown: &Shutdown,
    connections: &TaskTracker,
    serve: impl Fn(TcpStream, SocketAddr, Seat) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let addresses = Addresses::default();
    let next = async || {
        let place = places.clone().acquire_owned().await;
        (listener.accept().await, place)
    };
    while let Some((accepted, place)) = shutdown.soft().run_until_cancelled(next()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(seat) = addresses.seat(peer.ip()) else {
            metrics::counter!("guildhall_http_connections_refused_total").increment(1);
            continue;
        };
        let connection = serve(stream, peer, seat);
        let connection = shutdown.tracker().track_future(connection);
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
}

async fn serve_connection<S>(
    (stream, peer, _seat): (TcpStream, SocketAddr, Seat),
    service: S,
    shutdown: Shutdown,
) where
    S: Service<hyper::Request<hyper::body::Incoming>, Response = warp::reply::Response>
        + Clone
        + Send
        + 'static,
    S::Error: std::error::Error + Send + Sync + 'static,
    S::Future: Send,
{
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot switch off the delay of small packets");
    }
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip()));
        service.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.soft().cancelled() => {
            connection.as_mut().graceful_shutdown();
            shutdown.hard().run_until_cancelled(connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
