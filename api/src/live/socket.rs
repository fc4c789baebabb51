//! One live socket, from the first frame to the close frame (docs/rules.md 7).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use entities::CommandId;
use futures_util::future::BoxFuture;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::{Bytes, Message, protocol::CloseFrame};
use tokio_util::sync::CancellationToken;

use crate::live::frames::Frame;
use crate::live::sockets::{Ending, Message as Task, Subscription};

/// Consecutive unanswered pings before a socket counts as dead.
pub(super) const MISSED: u32 = 2;
/// How long a command is remembered as sent, far longer than it is pending; and how many of them.
const SENT_FOR_MS: u128 = 30 * 60 * 1_000;
const SENT_MAX: usize = 10_000;
/// Messages taken from the queue and sent in one go.
pub(super) const BATCH: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    pub(super) ping_every: Duration,
    /// Timeout of sending a batch of frames; the socket is closed after it.
    send_within: Duration,
    /// Timeout of sending the close frame and of its reply.
    close_within: Duration,
}

pub(crate) const TIMING: Timing = Timing {
    ping_every: Duration::from_secs(30),
    send_within: Duration::from_secs(10),
    close_within: Duration::from_secs(2),
};

/// Reads the pending commands.
pub(crate) type ReadPending =
    Box<dyn Fn() -> BoxFuture<'static, Result<Vec<Arc<Frame>>, Ending>> + Send + Sync>;

pub(crate) struct Session {
    pub(crate) subscription: Subscription,
    pub(crate) read_pending: ReadPending,
    /// This process shuts down.
    pub(crate) stop: CancellationToken,
    pub(crate) timing: Timing,
}

impl Ending {
    /// Code and reason of the close frame.
    fn close_frame(self) -> CloseFrame {
        let (code, reason) = match self {
            Self::GoingAway => (1001, "this process stops, connect again"),
            Self::KeyNoLongerGood => (1008, "the key is revoked or has expired"),
            Self::NoLongerAllowed => (1008, "you are signed out, or no longer of the guild's staff"),
            Self::TooSlow => (1013, "frames are read too slowly"),
            Self::Failed => (1011, "something went wrong on our side, connect again"),
        };
        CloseFrame { code: u16::into(code), reason: reason.into() }
    }
}

/// `pending` is sent first, in its order.
pub(crate) async fn run<S, E>(mut socket: S, session: Session, pending: Vec<Arc<Frame>>)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let Session { mut subscription, read_pending, stop, timing } = session;
    let ended = tokio::select! {
        () = stop.cancelled() => Ok(Ending::GoingAway),
        () = subscription.key_ended.cancelled() => Ok(Ending::KeyNoLongerGood),
        // The other end is dropped with the subscription alone, which lives as long as this.
        _ = &mut subscription.too_slow => Ok(Ending::TooSlow),
        ended = serve(&mut socket, &mut subscription.messages, &read_pending, timing, pending) => ended,
    };
    // No further messages enter its queue.
    drop(subscription);
    match ended {
        Ok(ending) => close(&mut socket, ending, timing).await,
        Err(Gone) => tracing::debug!("a live socket is closed"),
    }
}

/// The peer left or does not respond: no close frame is sent.
pub(super) struct Gone;

async fn serve<S, E>(
    socket: &mut S,
    messages: &mut mpsc::Receiver<Task>,
    read_pending: &ReadPending,
    timing: Timing,
    pending: Vec<Arc<Frame>>,
) -> Result<Ending, Gone>
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let mut sent = Sent::default();
    let mut missed = 0;
    let mut ping = tokio::time::interval_at(Instant::now() + timing.ping_every, timing.ping_every);
    let (mut frames, mut queued) = (pending, Vec::new());
    loop {
        let new = frames.drain(..).filter(|frame| sent.is_new(frame));
        if let Some(ending) = send(socket, new.map(|frame| Message::Text(frame.text.clone())), timing).await?
        {
            return Ok(ending);
        }
        tokio::select! {
            message = socket.next() => match message {
                Some(Ok(message)) if !message.is_close() => missed = 0,
                Some(Ok(_)) => {
                    // The protocol layer responds by itself while the socket is read.
                    drain(socket, timing).await;
                    return Err(Gone);
                }
                _ => return Err(Gone),
            },
            _ = ping.tick() => {
                if missed == MISSED {
                    return Err(Gone);
                }
                missed += 1;
                let ping = std::iter::once(Message::Ping(Bytes::new()));
                if let Some(ending) = send(socket, ping, timing).await? {
                    return Ok(ending);
                }
            }
            () = receive(messages, &mut queued) => {
                for task in queued.drain(..) {
                    match task {
                        Task::Frame(frame) => frames.push(frame),
                        Task::ReadAgain => match read_pending().await {
                            Ok(found) => frames.extend(found),
                            Err(ending) => return Ok(ending),
                        },
                    }
                }
            }
        }
    }
}

async fn receive(messages: &mut mpsc::Receiver<Task>, queued: &mut Vec<Task>) {
    if messages.recv_many(queued, BATCH).await == 0 {
        // Removed from the sockets: `run` is about to receive the reason.
        std::future::pending::<()>().await;
    }
}

pub(super) async fn send<S, E>(
    socket: &mut S,
    messages: impl Iterator<Item = Message>,
    timing: Timing,
) -> Result<Option<Ending>, Gone>
where
    S: Sink<Message, Error = E> + Unpin,
{
    let sending = async {
        let mut any = false;
        for message in messages {
            socket.feed(message).await?;
            any = true;
        }
        if any { socket.flush().await } else { Ok(()) }
    };
    match tokio::time::timeout(timing.send_within, sending).await {
        Ok(Ok(())) => Ok(None),
        Ok(Err(_)) => Err(Gone),
        Err(_) => Ok(Some(Ending::TooSlow)),
    }
}

/// Sends the close frame, and waits briefly for the reply.
pub(super) async fn close<S, E>(socket: &mut S, ending: Ending, timing: Timing)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let frame = ending.close_frame();
    metrics::counter!("guildhall_live_closed_total", "code" => frame.code.to_string()).increment(1);
    let farewell = socket.send(Message::Close(Some(frame)));
    // Do not wait for a peer that does not read.
    if let Ok(Ok(())) = tokio::time::timeout(timing.close_within, farewell).await {
        drain(socket, timing).await;
    }
}

/// Reads remaining frames until the peer has closed too.
pub(super) async fn drain<S, E>(socket: &mut S, timing: Timing)
where
    S: Stream<Item = Result<Message, E>> + Unpin,
{
    let rest = async { while let Some(Ok(_)) = socket.next().await {} };
    // A peer that does not close is disconnected.
    let _ = tokio::time::timeout(timing.close_within, rest).await;
}

/// The commands sent lately. Ids sort by time, so the oldest are forgotten first.
#[derive(Default)]
struct Sent(BTreeSet<CommandId>);

impl Sent {
    fn is_new(&mut self, frame: &Frame) -> bool {
        let Some(command) = frame.command else { return true };
        let new = self.0.insert(command);
        let ended = |oldest: &CommandId| issued_ms(*oldest) + SENT_FOR_MS < issued_ms(command);
        while self.0.len() > SENT_MAX || self.0.first().is_some_and(ended) {
            self.0.pop_first();
        }
        new
    }
}

/// From the id, a UUID of version 7.
fn issued_ms(command: CommandId) -> u128 {
    command.0.as_u128() >> 80
}

#[cfg(test)]
mod tests;
