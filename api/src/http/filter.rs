//! The one warp filter: takes a request apart for [`exchange::answer`]. The route table does the matching.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use ::http::{HeaderValue, Response, header};
use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use warp::Filter;
use warp::path::FullPath;

use super::error::ApiError;
use super::exchange::{self, Request};
use super::record::Record;
use super::{client_address, cors, gzip};
use crate::app::App;

/// Who is at the other end; put into the request by the accept loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

pub(super) fn of(app: Arc<App>) -> impl Filter<Extract = (impl warp::Reply,), Error = Infallible> + Clone {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    // What asks for a WebSocket can be given one; whether it is, the row of the table decides.
    let upgrade = warp::ws().map(Some).or(warp::any().map(|| None)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::get::<Peer>())
        .and(upgrade)
        .and(warp::body::stream())
        .then(move |method, path: FullPath, query, headers, Peer(address), upgrade, body| {
            let body = StreamExt::map(body, bytes_of);
            let path = path.as_str().to_owned();
            let address = client_address::of(address, &headers, &app.options.trusted_proxies);
            let request = Request { method, path, query, headers, address, upgrade, body: body.boxed() };
            answer(app.clone(), request)
        })
        .recover(|rejection: warp::Rejection| async move { Ok::<_, Infallible>(unfit(&rejection)) })
        .unify()
}

/// The answer, in the form its client can read.
async fn answer(app: Arc<App>, request: Request) -> Response<Bytes> {
    let gzip = gzip::is_asked_for(&request.headers);
    let origin = cors::allowed(&request.headers, &app.options.cors_origins);
    let asked = origin.as_ref().and_then(|_| cors::preflight(&request.method, &request.headers));
    let by_origin = !app.options.cors_origins.is_empty();
    let mut response = match asked {
        Some(response) => response,
        None => gzip::encode(gzip, exchange::answer(app, request).await).await,
    };
    if by_origin {
        response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    }
    if let Some(origin) = origin {
        cors::open(origin, &mut response);
    }
    response
}

fn bytes_of(part: Result<impl Buf, warp::Error>) -> Result<Bytes, warp::Error> {
    part.map(|mut part| part.copy_to_bytes(part.remaining()))
}

/// The filter takes every request; a rejection is a mistake of ours.
fn unfit(rejection: &warp::Rejection) -> Response<Bytes> {
    let record = Record::new(&::http::Method::GET, &::http::HeaderMap::new());
    record.finish(Err(ApiError::internal(format!("{rejection:?}"))))
}
