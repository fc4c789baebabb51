//! The accept loop around warp's service: what warp's own server lacks. Slow clients are closed, small answers leave
//! at once, connections are counted, and a stop lets requests in flight end but does not wait for idle clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use platforms::Platforms;
use queue::Queue;
use runtime::{Context, Shutdown};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::connections::{Addresses, MAX_CONNECTIONS};
use super::{connection, filter};
use crate::Options;
use crate::app::App;

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
    let app = App::new(context, queue, platforms, options);
    let listening = crate::guard::listen(app.clone());
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(listening));
    let listening = crate::moderation::listen(app.clone());
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(listening));
    start_play(&app, &shutdown);
    let service = warp::service(filter::of(app));
    let connections = TaskTracker::new();
    accept(&listener, &shutdown, &connections, |stream, peer| {
        connection::serve((stream, peer), service.clone(), shutdown.clone())
    })
    .await;
    // Nobody new is let in: whoever knocks is refused by the system and goes to another process.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// What checks, heartbeats, polls and live sockets need besides requests.
fn start_play(app: &Arc<App>, shutdown: &Shutdown) {
    let services: [BoxFuture<'static, ()>; 4] = [
        Box::pin(crate::shield::listen(app.clone())),
        Box::pin(crate::play::listen(app.clone())),
        Box::pin(crate::ws::listen(app.clone())),
        Box::pin(crate::ws::watch_keys(app.clone())),
    ];
    for service in services {
        shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(service));
    }
    // Ends by itself, after its last batch.
    shutdown.services().spawn(crate::play::write_batches(app.clone()));
}

async fn accept<F>(
    listener: &TcpListener,
    shutdown: &Shutdown,
    connections: &TaskTracker,
    serve: impl Fn(TcpStream, SocketAddr) -> F,
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
        let connection = shutdown.tracker().track_future(serve(stream, peer));
        connections.spawn(async move {
            connection.await;
            drop((place, seat));
        });
    }
}
