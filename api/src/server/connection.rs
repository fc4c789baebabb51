//! One connection from its first byte to its end.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::TryFutureExt;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::header::CONNECTION;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use runtime::Shutdown;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tower_service::Service;
use warp::reply::Response;

use crate::live::sockets;
use crate::response::payload;
use crate::server::admitted::Admission;
use crate::server::console_page::Refused;
use crate::server::dispatch::Arrived;
use crate::server::head;
use crate::server::phase::Phase;
use crate::server::timed::{TIMEOUTS, Timed};
use crate::state::State;

/// Maximum bytes of a request's head; hyper answers larger ones with 431.
const HEAD_LIMIT: usize = 64 * 1024;

/// Unread bytes of a client that the system buffers; it uses twice as much. Without a limit it buffers some
/// MiB for each connection.
const UNREAD: usize = 64 * 1024;

/// The duration of a refusal that its client could repeat without end, so that it costs others little.
const REFUSAL: Duration = Duration::from_millis(50);

/// How a request for a live socket begins.
const LIVE: &[u8] = b"GET /ws/";

/// Serves a connection until the client leaves, is too slow or is evicted, or until shutdown begins and the
/// request in flight is answered. One that begins as a live socket waits for its turn, among the sockets, and is served
/// by their threads: when thousands reconnect at once, requests only share the processors with them.
pub(super) async fn serve<S>(
    stream: TcpStream,
    peer: IpAddr,
    mut admission: Admission,
    service: S,
    state: Arc<State>,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let (shutdown, connected) = (&state.context.shutdown, Instant::now());
    let Some(Ok(live)) = unless_ended(&admission, shutdown, opens_live_socket(&stream)).await else { return };
    if !live {
        return http(stream, connected, peer, admission, service, shutdown).await;
    }
    // The connections to the database belong to these threads.
    let service = On { threads: Handle::current(), service };
    let threads = state.socket_threads.handle();
    let served = async move {
        let shutdown = &state.context.shutdown;
        let stream = TcpStream::from_std(stream.into_std()?)?;
        // If there are as many sockets as there may be, it keeps its place among the connections.
        let waiting = state.live.reserve(0).ok();
        if waiting.is_some() {
            admission.permit = None;
        }
        let turn = async {
            state.socket_pace.wait(sockets::EACH).await;
            if waiting.is_some() { state.connections.clone().acquire_owned().await.ok() } else { None }
        };
        if let Some(permit) = unless_ended(&admission, shutdown, turn).await {
            drop(waiting);
            admission.permit = admission.permit.take().or(permit);
            http(stream, Instant::now(), peer, admission, service, shutdown).await;
        }
        std::io::Result::Ok(())
    };
    if let Ok(Err(error)) = threads.spawn(served).await {
        tracing::debug!(%error, "a connection cannot change its threads");
    }
}

/// `None`: the connection was evicted, or shutdown began.
async fn unless_ended<T>(
    admission: &Admission,
    shutdown: &Shutdown,
    work: impl Future<Output = T>,
) -> Option<T> {
    admission.evicted.run_until_cancelled(shutdown.soft().run_until_cancelled(work)).await.flatten()
}

/// Decides by its first bytes; an error if none arrive in time.
async fn opens_live_socket(stream: &TcpStream) -> std::io::Result<bool> {
    let mut first = [0; LIVE.len()];
    tokio::time::timeout(TIMEOUTS.head, stream.peek(&mut first)).await??;
    Ok(first == LIVE)
}

/// A service whose calls run on these threads.
#[derive(Clone)]
struct On<S> {
    threads: Handle,
    service: S,
}

impl<S> Service<Request<Incoming>> for On<S>
where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = JoinError;
    type Future = BoxFuture<'static, Result<Response, JoinError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), JoinError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let answering = AbortOnDropHandle::new(self.threads.spawn(self.service.call(request)));
        Box::pin(answering.map_ok(|Ok(response)| response))
    }
}

/// `since`: when the client could send its first request.
async fn http<S>(
    stream: TcpStream,
    since: Instant,
    peer: IpAddr,
    admission: Admission,
    service: S,
    shutdown: &Shutdown,
) where
    S: Service<Request<Incoming>, Response = Response> + Clone + Send + 'static,
    S::Error: std::error::Error + Send + Sync + 'static,
    S::Future: Send,
{
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot switch off the delay of small packets");
    }
    if let Err(error) = SockRef::from(&stream).set_recv_buffer_size(UNREAD) {
        tracing::debug!(%error, "cannot limit the receive buffer of a connection");
    }
    let phase = admission.phase.clone();
    let stream = Timed::new(stream, phase.clone(), TIMEOUTS, since);
    let leaving = shutdown.leaving().clone();
    let service = service_fn(move |request| {
        phase.answering();
        answer(service.clone(), request, peer, phase.clone(), leaving.clone())
    });
    let connection = http1::Builder::new()
        .header_read_timeout(None)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = admission.evicted.cancelled() => Ok(()),
        () = shutdown.soft().cancelled() => {
            connection.as_mut().graceful_shutdown();
            shutdown.hard().run_until_cancelled(connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn answer<S>(
    mut service: S,
    mut request: Request<Incoming>,
    peer: IpAddr,
    phase: Phase,
    leaving: CancellationToken,
) -> Result<Response, S::Error>
where
    S: Service<Request<Incoming>, Response = Response>,
{
    let mut response = match head::refuse(&request) {
        Some(refusal) => {
            let mut refusal = payload::into_warp(refusal);
            refusal.extensions_mut().insert(Refused);
            refusal
        }
        None => {
            let headers = Arc::new(std::mem::take(request.headers_mut()));
            request.extensions_mut().insert(Arrived { peer, headers });
            service.call(request).await?
        }
    };
    let refused = match response.status() {
        // An upgraded socket has its own timeouts.
        StatusCode::SWITCHING_PROTOCOLS => return Ok(response),
        StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => true,
        _ => response.extensions().get::<Refused>().is_some(),
    };
    if refused {
        tokio::time::sleep(REFUSAL).await;
    }
    phase.answered();
    // A client can move to another process before this one ends.
    if leaving.is_cancelled() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
