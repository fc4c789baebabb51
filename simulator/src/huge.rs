//! Oversized bodies: streamed, never held in memory.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// White space, a valid start of JSON.
static PIECE: [u8; 64 * 1024] = [b' '; 64 * 1024];

/// This many bytes of white space, with or without a known length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Huge {
    pub(crate) bytes: u64,
    /// With `Content-Length`; otherwise chunked.
    pub(crate) content_length: bool,
}

impl Body for Huge {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = usize::try_from(self.bytes).unwrap_or(usize::MAX).min(PIECE.len());
        if next == 0 {
            return Poll::Ready(None);
        }
        self.bytes -= next as u64;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&PIECE[..next])))))
    }

    fn size_hint(&self) -> SizeHint {
        if self.content_length { SizeHint::with_exact(self.bytes) } else { SizeHint::default() }
    }
}
