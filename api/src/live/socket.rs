//! One live socket, from the first frame to the close frame (docs/rules.md 7).

use std::collections::BTreeSet;
use std::time::Duration;

use entities::CommandId;
use futures_util::future::BoxFuture;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use warp::ws::Message;

use crate::live::frames::Frame;
use crate::live::sockets::{Ending, Message as Task, Subscription};

/// Consecutive unanswered pings before a socket counts as dead.
const MISSED: u32 = 2;
/// Commands remembered as sent; they are pending for ten minutes at most.
const SENT_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    ping_every: Duration,
    /// Timeout of sending a frame; the socket is closed after it.
    send_within: Duration,
    /// Timeout of sending the close frame and of its reply.
    close_within: Duration,
}

pub(crate) const PACE: Pace = Pace {
    ping_every: Duration::from_secs(30),
    send_within: Duration::from_secs(10),
    close_within: Duration::from_secs(2),
};

/// Reads the pending commands.
pub(crate) type ReadPending = Box<dyn Fn() -> BoxFuture<'static, Result<Vec<Frame>, Ending>> + Send + Sync>;

pub(crate) struct Session {
    pub(crate) subscription: Subscription,
    pub(crate) read_pending: ReadPending,
    /// This process shuts down.
    pub(crate) stop: CancellationToken,
    pub(crate) pace: Pace,
}

impl Ending {
    /// Code and reason of the close frame.
    fn close_frame(self) -> (u16, &'static str) {
        match self {
            Self::GoingAway => (1001, "this process stops, connect again"),
            Self::KeyNoLongerGood => (1008, "the key is revoked or has expired"),
            Self::TooSlow => (1013, "frames are read too slowly"),
            Self::Failed => (1011, "something went wrong on our side, connect again"),
        }
    }
}

/// `pending` is sent first, in its order.
pub(crate) async fn run<S, E>(mut socket: S, session: Session, pending: Vec<Frame>)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let Session { mut subscription, read_pending, stop, pace } = session;
    let ended = tokio::select! {
        () = stop.cancelled() => Ok(Ending::GoingAway),
        // The other end is dropped with the subscription alone, which lives as long as this.
        ending = &mut subscription.ending => Ok(ending.unwrap_or(Ending::Failed)),
        ended = serve(&mut socket, &mut subscription.messages, &read_pending, pace, pending) => ended,
    };
    // No further messages enter its queue.
    drop(subscription);
    match ended {
        Ok(ending) => close(&mut socket, ending, pace).await,
        Err(Gone) => tracing::debug!("a live socket is gone"),
    }
}

/// The peer left or does not respond: no close frame is sent.
struct Gone;

async fn serve<S, E>(
    socket: &mut S,
    messages: &mut mpsc::Receiver<Task>,
    read_pending: &ReadPending,
    pace: Pace,
    pending: Vec<Frame>,
) -> Result<Ending, Gone>
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let mut sent = Sent::default();
    let mut missed = 0;
    let mut ping = tokio::time::interval_at(Instant::now() + pace.ping_every, pace.ping_every);
    let mut frames = pending;
    loop {
        for frame in frames.drain(..) {
            if sent.is_new(&frame)
                && let Some(ending) = send(socket, Message::text(frame.text), pace).await?
            {
                return Ok(ending);
            }
        }
        tokio::select! {
            message = socket.next() => match message {
                Some(Ok(message)) if !message.is_close() => missed = 0,
                Some(Ok(_)) => {
                    // The protocol layer responds by itself while the socket is read.
                    drain(socket, pace).await;
                    return Err(Gone);
                }
                _ => return Err(Gone),
            },
            _ = ping.tick() => {
                if missed == MISSED {
                    return Err(Gone);
                }
                missed += 1;
                if let Some(ending) = send(socket, Message::ping(Vec::new()), pace).await? {
                    return Ok(ending);
                }
            }
            heard = messages.recv() => match heard {
                Some(Task::Frame(frame)) => frames.push(frame),
                Some(Task::ReadAgain) => match read_pending().await {
                    Ok(found) => frames = found,
                    Err(ending) => return Ok(ending),
                },
                // Removed from the sockets: `run` is about to receive the reason.
                None => std::future::pending().await,
            },
        }
    }
}

async fn send<S, E>(socket: &mut S, message: Message, pace: Pace) -> Result<Option<Ending>, Gone>
where
    S: Sink<Message, Error = E> + Unpin,
{
    match tokio::time::timeout(pace.send_within, socket.send(message)).await {
        Ok(Ok(())) => Ok(None),
        Ok(Err(_)) => Err(Gone),
        Err(_) => Ok(Some(Ending::TooSlow)),
    }
}

/// Sends the close frame, and waits briefly for the reply.
async fn close<S, E>(socket: &mut S, ending: Ending, pace: Pace)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let (code, reason) = ending.close_frame();
    metrics::counter!("guildhall_live_closed_total", "code" => code.to_string()).increment(1);
    let farewell = socket.send(Message::close_with(code, reason));
    // A peer that does not read is not awaited.
    if let Ok(Ok(())) = tokio::time::timeout(pace.close_within, farewell).await {
        drain(socket, pace).await;
    }
}

/// Reads remaining frames until the peer has closed too.
async fn drain<S, E>(socket: &mut S, pace: Pace)
where
    S: Stream<Item = Result<Message, E>> + Unpin,
{
    let rest = async { while let Some(Ok(_)) = socket.next().await {} };
    // A peer that does not close is disconnected.
    let _ = tokio::time::timeout(pace.close_within, rest).await;
}

/// The sent commands. Ids sort by time, so the oldest are forgotten first.
#[derive(Default)]
struct Sent(BTreeSet<CommandId>);

impl Sent {
    fn is_new(&mut self, frame: &Frame) -> bool {
        let Some(command) = frame.command else { return true };
        let new = self.0.insert(command);
        if self.0.len() > SENT_MAX {
            self.0.pop_first();
        }
        new
    }
}

#[cfg(test)]
mod tests;
