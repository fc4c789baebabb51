//! One connection from its first byte to its end.

use std::pin::pin;
use std::time::Duration;

use http::HeaderValue;
use http::header::CONNECTION;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use runtime::Shutdown;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service;
use warp::reply::Response;

use crate::response::payload;
use crate::server::dispatch::Peer;
use crate::server::guests::Guest;
use crate::server::head;
use crate::server::phase::Phase;
use crate::server::timed::{TIMEOUTS, Timed};

/// Maximum bytes of a request's head; hyper answers larger ones with 431.
const HEAD_LIMIT: usize = 64 * 1024;

/// How long a refusal takes that its client could repeat for ever, so that it takes little from others.
const REFUSAL: Duration = Duration::from_millis(20);

/// Serves requests until the client leaves, is too slow or has to make room, or until shutdown begins and the request in
/// flight is answered.
pub(super) async fn serve<S>(stream: TcpStream, peer: Peer, guest: Guest, service: S, shutdown: Shutdown)
where
    S: Service<Request<Incoming>, Response = Response> + Clone + Send + 'static,
    S::Error: std::error::Error + Send + Sync + 'static,
    S::Future: Send,
{
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot switch off the delay of small packets");
    }
    let phase = guest.phase.clone();
    let stream = Timed::new(stream, phase.clone(), TIMEOUTS);
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
        () = guest.leave.cancelled() => Ok(()),
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
    peer: Peer,
    phase: Phase,
    leaving: CancellationToken,
) -> Result<Response, S::Error>
where
    S: Service<Request<Incoming>, Response = Response>,
{
    let mut response = match head::refuse(&request) {
        Some(refusal) => {
            tokio::time::sleep(REFUSAL).await;
            payload::into_warp(refusal)
        }
        None => {
            request.extensions_mut().insert(peer);
            service.call(request).await?
        }
    };
    match response.status() {
        // An upgraded socket has its own timeouts.
        StatusCode::SWITCHING_PROTOCOLS => return Ok(response),
        StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => tokio::time::sleep(REFUSAL).await,
        _ => {}
    }
    phase.answered();
    // A client that goes on to another process finds it before this one is gone.
    if leaving.is_cancelled() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
