//! A server of a test that takes what the product sends: each request is answered by one function, without a body.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

pub(crate) type Answer = Response<Empty<Bytes>>;

/// Runs until its test ends.
pub(crate) fn take_all(
    listener: TcpListener,
    answer: impl Fn(Parts, Bytes) -> Answer + Send + Sync + 'static,
) {
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            let service = service_fn(move |request: Request<Incoming>| {
                let answer = Arc::clone(&answer);
                async move {
                    let (head, body) = request.into_parts();
                    Ok::<_, Infallible>(answer(head, body.collect().await.unwrap().to_bytes()))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}
