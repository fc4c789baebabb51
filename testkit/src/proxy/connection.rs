//! One connection through the proxy: two pumps, and the conditions that end or silence them.

use std::future::pending;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToTarget,
    ToClient,
}

/// The current settings, each direction at the index of its [`Way`].
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) latency: [Duration; 2],
    /// Bytes that a connection still forwards, counted anew from the command of this number.
    pub(super) cut: [Option<(u64, u64)>; 2],
    pub(super) silent: bool,
    pub(super) refusing: bool,
    /// The last reset ends the connections that began before it.
    pub(super) resets: u64,
    /// The number of commands.
    pub(super) commands: u64,
}

const CHUNK_BYTES: usize = 16 * 1024;
/// Chunks in flight while latency is added.
const CHUNKS_IN_FLIGHT: usize = 256;

/// Why a pump stopped before both sides were done.
enum Broken {
    /// The permitted number of bytes has passed.
    Cut,
    /// One side failed: the other is closed.
    Failed,
}

enum Outcome {
    Ended,
    Reset,
    Silenced,
}

pub(super) async fn serve(mut client: TcpStream, target: &str, plan: watch::Receiver<Plan>) {
    let born = plan.borrow().resets;
    // It may have been accepted just before the listener was closed.
    if plan.borrow().refusing {
        return reset(&client);
    }
    let opened = if plan.borrow().silent { None } else { TcpStream::connect(target).await.ok() };
    let Some(mut server) = opened else {
        if plan.borrow().silent {
            until_reset(plan.clone(), born).await;
        }
        return reset(&client);
    };
    // Only the configured latency may delay data.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let outcome = tokio::select! {
        biased;
        () = until_reset(plan.clone(), born) => Outcome::Reset,
        () = until_silent(plan.clone()) => Outcome::Silenced,
        ended = pump_both(&mut client, &mut server, &plan) => match ended {
            Ok(()) | Err(Broken::Cut) => Outcome::Ended,
            Err(Broken::Failed) => Outcome::Reset,
        },
    };
    if matches!(outcome, Outcome::Silenced) {
        // Both sockets stay open, without a reader.
        until_reset(plan.clone(), born).await;
    }
    if !matches!(outcome, Outcome::Ended) {
        reset(&client);
        reset(&server);
    }
}

/// Closing the socket after this sends RST.
fn reset(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}

async fn until_reset(mut plan: watch::Receiver<Plan>, born: u64) {
    if plan.wait_for(|plan| plan.resets > born).await.is_err() {
        pending::<()>().await;
    }
}

async fn until_silent(mut plan: watch::Receiver<Plan>) {
    if plan.wait_for(|plan| plan.silent).await.is_err() {
        pending::<()>().await;
    }
}

async fn pump_both(
    client: &mut TcpStream,
    server: &mut TcpStream,
    plan: &watch::Receiver<Plan>,
) -> Result<(), Broken> {
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::try_join!(
        pump(from_client, to_server, Way::ToTarget, plan),
        pump(from_server, to_client, Way::ToClient, plan),
    )
    .map(drop)
}

/// Runs until the reading side has ended and all data is written, then ends the writing side.
async fn pump(
    from: ReadHalf<'_>,
    to: WriteHalf<'_>,
    way: Way,
    plan: &watch::Receiver<Plan>,
) -> Result<(), Broken> {
    let (sender, receiver) = mpsc::channel(CHUNKS_IN_FLIGHT);
    let (read, written) = tokio::join!(read(from, sender, way, plan), write(to, receiver));
    read.and(written)
}

type Chunk = (Instant, Vec<u8>);

async fn read(
    mut from: ReadHalf<'_>,
    sender: mpsc::Sender<Chunk>,
    way: Way,
    plan: &watch::Receiver<Plan>,
) -> Result<(), Broken> {
    let mut passed = Passed::default();
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let length = from.read(&mut chunk).await.map_err(|_| Broken::Failed)?;
        if length == 0 {
            return Ok(());
        }
        let plan = plan.borrow().clone();
        if plan.silent {
            // Read after the command: the data is dropped, and this connection is about to be silenced.
            pending::<()>().await;
        }
        let allowed = passed.allow(plan.cut[way as usize], length);
        chunk.truncate(allowed);
        let due = Instant::now() + plan.latency[way as usize];
        if allowed > 0 && sender.send((due, chunk)).await.is_err() {
            return Err(Broken::Failed);
        }
        if allowed < length || passed.is_used_up(plan.cut[way as usize]) {
            return Err(Broken::Cut);
        }
    }
}

/// Bytes forwarded since the last cut command.
#[derive(Default)]
struct Passed {
    command: u64,
    bytes: u64,
}

impl Passed {
    fn allow(&mut self, cut: Option<(u64, u64)>, length: usize) -> usize {
        let Some((command, limit)) = cut else { return length };
        if self.command != command {
            *self = Self { command, bytes: 0 };
        }
        let allowed = length.min(usize::try_from(limit - self.bytes).unwrap_or(usize::MAX));
        self.bytes += allowed as u64;
        allowed
    }

    fn is_used_up(&self, cut: Option<(u64, u64)>) -> bool {
        cut.is_some_and(|(_, limit)| self.bytes >= limit)
    }
}

async fn write(mut to: WriteHalf<'_>, mut receiver: mpsc::Receiver<Chunk>) -> Result<(), Broken> {
    while let Some((due, chunk)) = receiver.recv().await {
        tokio::time::sleep_until(due).await;
        to.write_all(&chunk).await.map_err(|_| Broken::Failed)?;
    }
    to.shutdown().await.map_err(|_| Broken::Failed)
}
