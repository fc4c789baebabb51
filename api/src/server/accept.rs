//! The accept loop around warp's service, with what warp's own server lacks: it disconnects slow clients, sends small
//! responses at once, limits connections, and on shutdown finishes requests in flight without waiting for idle clients.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use chat_commands::ChatCommands;
use console::Console;
use people::RightsCache;
use platforms::Platforms;
use queue::Queue;
use runtime::{Context, Shutdown};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::request::client_address;
use crate::server::admitted::{Admission, OpenConnections};
use crate::server::dispatch::{Peer, Server};
use crate::server::in_process::InProcess;
use crate::server::router::Router;
use crate::server::{connection, dispatch, heartbeat_writer, live, presence};
use crate::state::State;
use crate::state::options::Options;

/// Pause after a failed accept: usually the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves the API until shutdown begins and the last connection has ended or was cancelled.
///
/// Tasks run on the trackers of the shutdown, so waiting for the shutdown covers them too.
pub async fn serve(
    context: Context,
    queue: Queue,
    platforms: Platforms,
    listener: TcpListener,
    options: Options,
) {
    let shutdown = context.shutdown.clone();
    if options.distributed {
        context.limits.join(&shutdown);
    }
    let state = State::new(context, queue, platforms, options);
    start_services(&state, &shutdown);
    let router = Arc::new(Router::new());
    let api = InProcess { state: state.clone(), router: router.clone() };
    let State { context, platforms, queue, options, .. } = &*state;
    let (context, platforms, queue) = (context.clone(), platforms.clone(), queue.clone());
    let rights = Arc::new(RightsCache::new(context.clone(), platforms.clone()));
    let ways_in = console::WaysIn {
        public_url: options.public_url.clone(),
        link_command: options.link_command.clone(),
    };
    let api = Arc::new(api);
    let chat = ChatCommands {
        context: context.clone(),
        platforms: platforms.clone(),
        api: api.clone(),
        rights: rights.clone(),
        public_url: options.public_url.clone(),
    };
    let console = Console::new(context, platforms, queue, api, rights, ways_in);
    live::start(&state, &console);
    let service = warp::service(dispatch::filter(Arc::new(Server {
        state: state.clone(),
        router,
        console,
        chat: Arc::new(chat),
    })));
    let connections = TaskTracker::new();
    accept(&listener, &state, &connections, |stream, peer, admission| {
        connection::serve(stream, Peer(peer.ip()), admission, service.clone(), state.clone())
    })
    .await;
    // The system refuses new connections, and clients go to another process.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Tasks beside the requests.
fn start_services(state: &Arc<State>, shutdown: &Shutdown) {
    // Ends after its last batch.
    shutdown.services().spawn(heartbeat_writer::write_batches(state.clone()));
    shutdown.services().spawn(presence::keep(state.clone()));
}

async fn accept<F>(
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
