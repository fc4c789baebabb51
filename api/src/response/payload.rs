//! The body of a response on its way to the connection: bytes of its own, or an answer that others share.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use console::Broken;
use futures_util::{Stream, stream};
use http::{Response, header};
use tokio::sync::mpsc;
use warp::Reply as _;

use crate::response::chunks::Chunks;
use crate::response::large::AnswerPermit;
use crate::response::ready::Ready;

pub(crate) enum Payload {
    Own(Bytes),
    Shared(Shared),
    /// Made while it is sent.
    Made(Pages),
}

/// The parts of a body as they are made; one that cannot be made cuts the connection, so that the client
/// notices.
pub(crate) type Pages = mpsc::Receiver<Result<Bytes, Broken>>;

pub(crate) struct Shared {
    pub(crate) ready: Arc<Ready>,
    /// Sends the compressed form.
    pub(crate) gzip: bool,
    /// Of a large one, until it is sent.
    pub(crate) permit: Option<AnswerPermit>,
}

impl Shared {
    fn chunks(&self) -> &Chunks {
        self.ready.gzip().filter(|_| self.gzip).unwrap_or(&self.ready.body)
    }

    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold((self, 0), |(shared, sent)| async move {
            let part = shared.chunks().parts().get(sent)?.clone();
            if let Some(permit) = &shared.permit {
                permit.wait_to_send(part.len()).await;
            }
            Some((Ok(part), (shared, sent + 1)))
        })
    }
}

impl From<console::Body> for Payload {
    fn from(body: console::Body) -> Self {
        match body {
            console::Body::Whole(bytes) => Self::Own(bytes),
            console::Body::Parts(parts) => Self::Made(parts),
        }
    }
}

impl Payload {
    /// `None`: not known yet.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Own(body) => Some(body.len()),
            Self::Shared(shared) => Some(shared.chunks().len()),
            Self::Made(_) => None,
        }
    }
}

/// The response as warp sends it.
pub(crate) fn into_warp(response: Response<Payload>) -> warp::reply::Response {
    let (mut head, payload) = response.into_parts();
    let body = match payload {
        Payload::Own(body) => return Response::from_parts(head, body).into_response(),
        Payload::Made(pages) => warp::reply::stream(made(pages)).into_response(),
        Payload::Shared(shared) => {
            if let [body] = shared.chunks().parts() {
                return Response::from_parts(head, body.clone()).into_response();
            }
            head.headers.insert(header::CONTENT_LENGTH, shared.chunks().len().into());
            warp::reply::stream(shared.stream()).into_response()
        }
    };
    Response::from_parts(head, body.into_body())
}

fn made(pages: Pages) -> impl Stream<Item = Result<Bytes, io::Error>> {
    stream::unfold(pages, |mut pages| async move {
        let part = pages.recv().await?.map_err(io::Error::other);
        Some((part, pages))
    })
}
