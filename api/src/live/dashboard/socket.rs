//! One socket of a dashboard, from the first frame to the close frame.

use std::sync::Arc;

use futures_util::{Sink, Stream, StreamExt};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;

use crate::live::dashboard::feed::{Joined, RESYNC, Start};
use crate::live::dashboard::feeds::Entry;
use crate::live::dashboard::frame::{Frame, Hello, Nothing, text};
use crate::live::dashboard::people::Standing;
use crate::live::socket::{BATCH, Gone, MISSED, Timing, close, drain, send};
use crate::live::sockets::Ending;

pub(crate) struct Session {
    /// Its place, until the socket is gone.
    pub(crate) entry: Entry,
    pub(crate) joined: Joined,
    pub(crate) standing: watch::Receiver<Standing>,
    /// This process shuts down.
    pub(crate) stop: CancellationToken,
    pub(crate) timing: Timing,
}

pub(crate) async fn run<S, E>(mut socket: S, session: Session)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    let Session { entry, joined, mut standing, stop, timing } = session;
    let Joined { id, start, mut frames } = joined;
    let first = first_frames(&id, &start, &standing);
    let ended = tokio::select! {
        () = stop.cancelled() => Ok(Ending::GoingAway),
        ending = over(standing.clone()) => Ok(ending),
        ended = serve(&mut socket, first, &mut frames, &mut standing, timing) => ended,
    };
    // It takes no further frames, and frees its place.
    drop((frames, entry));
    match ended {
        Ok(ending) => close(&mut socket, ending, timing).await,
        Err(Gone) => tracing::debug!("a dashboard's socket is closed"),
    }
}

/// `hello`, and what the client missed, or `resync`.
fn first_frames(id: &str, start: &Start, standing: &watch::Receiver<Standing>) -> Vec<Utf8Bytes> {
    let hello = text(id, "hello", &Hello { resumed: matches!(start, Start::Resumed(_)) });
    let mut first: Vec<_> = hello.into_iter().collect();
    match start {
        Start::New => {}
        Start::Resumed(missed) => first.extend(visible(missed, standing)),
        Start::Lost => first.extend(text(id, RESYNC, &Nothing {})),
    }
    first
}

/// Of these frames the ones that the person may see now.
fn visible<'f>(
    frames: &'f [Arc<Frame>],
    standing: &watch::Receiver<Standing>,
) -> impl Iterator<Item = Utf8Bytes> + use<'f> {
    let person = match &*standing.borrow() {
        Standing::May(person) => Some(person.clone()),
        Standing::Over(_) => None,
    };
    let shown = move |frame: &&Arc<Frame>| person.as_ref().is_some_and(|person| frame.area.is_for(person));
    frames.iter().filter(shown).map(|frame| frame.text.clone())
}

async fn over(mut standing: watch::Receiver<Standing>) -> Ending {
    match standing.wait_for(|standing| matches!(standing, Standing::Over(_))).await.as_deref() {
        Ok(Standing::Over(ending)) => *ending,
        // The checks of the person have ended.
        _ => Ending::Failed,
    }
}

async fn serve<S, E>(
    socket: &mut S,
    first: Vec<Utf8Bytes>,
    frames: &mut broadcast::Receiver<Arc<Frame>>,
    standing: &mut watch::Receiver<Standing>,
    timing: Timing,
) -> Result<Ending, Gone>
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E> + Unpin,
{
    if let Some(ending) = send(socket, first.into_iter().map(Message::Text), timing).await? {
        return Ok(ending);
    }
    let mut missed = 0;
    let mut ping = tokio::time::interval_at(Instant::now() + timing.ping_every, timing.ping_every);
    let mut queued = Vec::new();
    loop {
        let messages: Vec<_> = tokio::select! {
            message = socket.next() => match message {
                Some(Ok(message)) if !message.is_close() => {
                    missed = 0;
                    continue;
                }
                Some(Ok(_)) => {
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
                vec![Message::Ping(Bytes::new())]
            }
            received = receive(frames, &mut queued) => {
                if let Err(ending) = received {
                    return Ok(ending);
                }
                let messages = visible(&queued, standing).map(Message::Text).collect();
                queued.clear();
                messages
            }
        };
        if let Some(ending) = send(socket, messages.into_iter(), timing).await? {
            return Ok(ending);
        }
    }
}

/// The next frames, at least one.
async fn receive(
    frames: &mut broadcast::Receiver<Arc<Frame>>,
    queued: &mut Vec<Arc<Frame>>,
) -> Result<(), Ending> {
    match frames.recv().await {
        Ok(frame) => queued.push(frame),
        Err(RecvError::Lagged(_)) => return Err(Ending::TooSlow),
        Err(RecvError::Closed) => return Err(Ending::Failed),
    }
    while queued.len() < BATCH {
        match frames.try_recv() {
            Ok(frame) => queued.push(frame),
            Err(TryRecvError::Lagged(_)) => return Err(Ending::TooSlow),
            Err(_) => break,
        }
    }
    Ok(())
}
