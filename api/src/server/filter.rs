//! The one warp filter: takes a request apart for [`dispatch::answer`]. The route table does the matching.

use std::convert::Infallible;
use std::net::IpAddr;

use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use http::{HeaderValue, Response, header};
use warp::Filter;
use warp::path::FullPath;

use crate::response::error::ApiError;
use crate::response::gzip;
use crate::server::cors;
use crate::server::dispatch::{self, Request, Server};
use crate::server::request_log::RequestLog;

/// The peer's address; the accept loop adds it to the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) fn of(server: Server) -> impl Filter<Extract = (impl warp::Reply,), Error = Infallible> + Clone {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    // A WebSocket request, always a GET, can be upgraded; the row of the table decides whether it is.
    let upgrade = warp::ws().map(Some).or(warp::any().map(|| None)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::get::<Peer>())
        .and(upgrade)
        .and(warp::body::stream())
        .then(move |method, path: FullPath, query, headers, Peer(peer), upgrade, body| {
            let body = StreamExt::map(body, bytes_of);
            let path = path.as_str().to_owned();
            let request = Request { method, path, query, headers, peer, upgrade, body: body.boxed() };
            answer(server.clone(), request)
        })
        .recover(|rejection: warp::Rejection| async move { Ok::<_, Infallible>(unfit(&rejection)) })
        .unify()
}

/// The response, in an encoding that the client accepts.
async fn answer(server: Server, request: Request) -> Response<Bytes> {
    let origins = &server.state.options.cors_origins;
    if origins.is_empty() {
        return encoded(server, request).await;
    }
    let origin = cors::allowed(&request.headers, origins);
    let preflight = origin.as_ref().and_then(|_| cors::preflight(&request.method, &request.headers));
    let mut response = match preflight {
        Some(response) => response,
        None => encoded(server, request).await,
    };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        cors::open(origin, &mut response);
    }
    response
}

async fn encoded(server: Server, request: Request) -> Response<Bytes> {
    let gzip = gzip::is_asked_for(&request.headers);
    gzip::encode(gzip, dispatch::answer(server, request).await).await
}

fn bytes_of(part: Result<impl Buf, warp::Error>) -> Result<Bytes, warp::Error> {
    part.map(|mut part| part.copy_to_bytes(part.remaining()))
}

/// The filter accepts every request; a rejection is a bug.
fn unfit(rejection: &warp::Rejection) -> Response<Bytes> {
    let log = RequestLog::new(&http::Method::GET, &http::HeaderMap::new());
    log.finish(Err(ApiError::internal(format!("{rejection:?}"))))
}
