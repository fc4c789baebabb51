//! The stream of a connection, with timeouts that hyper lacks, and our answer in place of hyper's own.
//!
//! The timeout is short for the head of a request and long between two requests. hyper has one timeout for both: a short
//! one would close the idle connections of load balancers; a long one would let slow clients keep theirs.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::server::head::{self, Head};
use crate::server::phase::{ANSWERING, IDLE, Phase, READING_HEAD};

#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// From a request's first byte, or from connecting, until its headers are in.
    pub(super) head: Duration,
    /// Between two requests.
    idle: Duration,
    /// How long a client may read nothing of an answer.
    stall: Duration,
}

/// Idle is longer than load balancers keep unused connections (60 s); stalled clients are disconnected within
/// 15 s.
pub(super) const TIMEOUTS: Timeouts =
    Timeouts { head: Duration::from_secs(10), idle: Duration::from_secs(75), stall: Duration::from_secs(14) };
/// Bytes a second. The time of a client that reads a long answer more slowly counts as stalled: it holds the answer's memory.
const SLOWEST_READER: u32 = 128 * 1024;

/// A stream whose reads fail when the timeout of its phase expires, and whose writes fail if the client hardly reads.
pub(super) struct Timed<S: Abort> {
    stream: S,
    phase: Phase,
    head: Head,
    /// The rest of our answer in place of hyper's.
    answer: Option<Bytes>,
    timeouts: Timeouts,
    /// The phase of the timer, which is reset when another phase begins, not by every byte.
    timed: u8,
    timer: Pin<Box<Sleep>>,
    /// How long writes may still wait for the client.
    patience: Duration,
    blocked: Option<Blocked>,
}

/// Connections of this process whose clients do not take what is written.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);
/// This many get the full timeout; further ones get [`HURRY`], because each holds an answer's memory.
const MOST_BLOCKED: usize = 1_000;
const HURRY: Duration = Duration::from_secs(1);

/// A write that waits for its client.
struct Blocked {
    since: Instant,
    until: Pin<Box<Sleep>>,
}

impl Blocked {
    fn new(patience: Duration) -> Self {
        let hurry = BLOCKED.fetch_add(1, Ordering::Relaxed) >= MOST_BLOCKED;
        let patience = if hurry { patience.min(HURRY) } else { patience };
        Self { since: Instant::now(), until: Box::pin(tokio::time::sleep(patience)) }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        BLOCKED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream that can end without sending the rest, which the system would otherwise keep for a client that
/// does not read.
pub(super) trait Abort {
    /// Unsent bytes are dropped when the stream is closed.
    fn abort(&self);
}

impl Abort for TcpStream {
    fn abort(&self) {
        if let Err(error) = SockRef::from(self).set_linger(Some(Duration::ZERO)) {
            tracing::debug!(%error, "a connection closes with its unsent bytes");
        }
    }
}

impl<S: Abort> Drop for Timed<S> {
    fn drop(&mut self) {
        if self.blocked.is_some() {
            self.stream.abort();
        }
    }
}

impl<S: Abort> Timed<S> {
    /// The first head is timed since `since`.
    pub(super) fn new(stream: S, phase: Phase, timeouts: Timeouts, since: Instant) -> Self {
        let timer = Box::pin(tokio::time::sleep_until(since + timeouts.head));
        let patience = timeouts.stall;
        let (head, answer) = (Head::default(), None);
        Self { stream, phase, head, answer, timeouts, timed: READING_HEAD, timer, patience, blocked: None }
    }

    fn timed_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(written) = written else {
            let patience = self.patience;
            let blocked = self.blocked.get_or_insert_with(|| Blocked::new(patience));
            return blocked.until.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()));
        };
        if let Some(blocked) = self.blocked.take() {
            self.patience = self.patience.saturating_sub(blocked.since.elapsed());
        }
        if let Ok(bytes) = written {
            let earned = Duration::from_secs(bytes as u64) / SLOWEST_READER;
            self.patience = (self.patience + earned).min(self.timeouts.stall);
        }
        Poll::Ready(written)
    }

    fn bytes_came(&mut self, bytes: &mut [u8]) {
        if !bytes.is_empty() && self.phase.bytes_came() {
            self.head.renew();
        }
        self.head.check(bytes);
    }

    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.phase.get();
        if phase != self.timed {
            self.timed = phase;
            let limit = if phase == IDLE { self.timeouts.idle } else { self.timeouts.head };
            self.timer.as_mut().reset(Instant::now() + limit);
        }
        if phase == ANSWERING { Poll::Pending } else { self.timer.as_mut().poll(cx) }
    }
}

impl<S: AsyncRead + Abort + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            self.bytes_came(&mut buffer.filled_mut()[before..]);
            return read;
        }
        self.poll_timeout(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Abort + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[io::IoSlice::new(bytes)])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.answer.is_none() {
            let own = bytes.first().filter(|_| this.phase.get() != ANSWERING);
            this.answer = own.and_then(|first| head::instead_of(first));
        }
        let Some(answer) = &mut this.answer else {
            let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
            return this.timed_write(cx, written);
        };
        while answer.has_remaining() {
            answer.advance(ready!(Pin::new(&mut this.stream).poll_write(cx, answer))?);
        }
        Poll::Ready(Ok(bytes.iter().map(|part| part.len()).sum()))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    impl Abort for tokio::io::DuplexStream {
        fn abort(&self) {}
    }

    const SHORT: Timeouts = Timeouts {
        head: Duration::from_millis(60),
        idle: Duration::from_millis(240),
        stall: Duration::from_millis(120),
    };

    /// The timeout of a read.
    async fn waited(stream: &mut Timed<tokio::io::DuplexStream>) -> Duration {
        let started = Instant::now();
        assert_eq!(stream.read_u8().await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        started.elapsed()
    }

    #[tokio::test]
    async fn a_slow_head_times_out_and_an_idle_client_stays_connected() {
        let (mut client, server) = tokio::io::duplex(64);
        let phase = Phase::default();
        let mut server = Timed::new(server, phase.clone(), SHORT, Instant::now());
        assert!((SHORT.head..SHORT.idle).contains(&waited(&mut server).await));
        phase.answered();
        assert!(waited(&mut server).await >= SHORT.idle);
        // A trickle of bytes does not extend the timeout of a head.
        phase.answered();
        client.write_all(b"ab").await.unwrap();
        server.read_u8().await.unwrap();
        server.read_u8().await.unwrap();
        assert!(waited(&mut server).await < SHORT.idle);
        phase.answering();
        let answering = tokio::time::timeout(SHORT.idle * 2, server.read_u8()).await;
        assert!(answering.is_err(), "a request being answered is not timed here");
    }

    #[tokio::test]
    async fn the_first_head_is_timed_from_connecting() {
        let (_client, server) = tokio::io::duplex(64);
        let connected = Instant::now();
        tokio::time::sleep(SHORT.head).await;
        let mut server = Timed::new(server, Phase::default(), SHORT, connected);
        assert!(waited(&mut server).await < SHORT.head);
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_of_an_answer_times_out() {
        let (mut client, server) = tokio::io::duplex(64);
        let mut server = Timed::new(server, Phase::default(), SHORT, Instant::now());
        let started = Instant::now();
        let refused = server.write_all(&[0; 65]).await.unwrap_err();
        assert_eq!((refused.kind(), started.elapsed() >= SHORT.stall), (io::ErrorKind::TimedOut, true));
        // A byte now and then extends the timeout only by its time at the slowest rate.
        let (mut trickle, server) = tokio::io::duplex(64);
        let mut server = Timed::new(server, Phase::default(), SHORT, Instant::now());
        let taking = tokio::spawn(async move {
            while trickle.read_u8().await.is_ok() {
                tokio::time::sleep(SHORT.stall / 4).await;
            }
        });
        let started = Instant::now();
        assert!(server.write_all(&[0; 128]).await.is_err());
        assert!((SHORT.stall..SHORT.stall * 8).contains(&started.elapsed()));
        drop(server);
        taking.await.unwrap();
        client.read_u8().await.unwrap();
    }
}
