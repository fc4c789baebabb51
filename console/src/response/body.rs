//! Bodies of requests and responses.

use bytes::Bytes;
use http::StatusCode;
use tokio::sync::mpsc;

/// Of a response.
pub enum Body {
    Whole(Bytes),
    /// Made while it is sent.
    Parts(mpsc::Receiver<Result<Bytes, Broken>>),
}

/// A part that cannot be made: the connection is cut, so that the client notices.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the rest of the answer")]
pub struct Broken;

/// Why a form was not read.
#[derive(Debug)]
pub struct Unread {
    pub status: StatusCode,
    pub text: String,
}
