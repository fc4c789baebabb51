use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use testkit::until;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use uuid::Uuid;

use super::*;
use crate::limits::capacity::Capacity;
use crate::live::sockets::{Live, Place, QUEUE};

const LONG: Duration = Duration::from_secs(5);

/// The peer's side of a socket without a network.
struct Peer {
    received: Arc<Mutex<Vec<Message>>>,
    /// Stops accepting frames.
    stuck: Arc<AtomicBool>,
    says: UnboundedSender<Result<Message, Infallible>>,
}

struct Socket {
    sent: Arc<Mutex<Vec<Message>>>,
    stuck: Arc<AtomicBool>,
    heard: UnboundedReceiver<Result<Message, Infallible>>,
}

impl Stream for Socket {
    type Item = Result<Message, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.heard.poll_recv(cx)
    }
}

impl Sink<Message> for Socket {
    type Error = Infallible;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        if self.stuck.load(Ordering::Relaxed) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }

    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), Infallible> {
        self.sent.lock().unwrap().push(message);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}

impl Peer {
    fn connected() -> (Self, Socket) {
        let (says, heard) = unbounded_channel();
        let (received, stuck) = (Arc::default(), Arc::<AtomicBool>::default());
        let socket = Socket { sent: Arc::clone(&received), stuck: Arc::clone(&stuck), heard };
        (Self { received, stuck, says }, socket)
    }

    fn texts(&self) -> Vec<String> {
        let received = self.received.lock().unwrap();
        received.iter().filter(|message| message.is_text()).map(ToString::to_string).collect()
    }

    fn close_code(&self) -> Option<u16> {
        let received = self.received.lock().unwrap();
        received.iter().find_map(|message| match message {
            Message::Close(frame) => frame.as_ref().map(|frame| frame.code.into()),
            _ => None,
        })
    }

    fn pings(&self) -> usize {
        self.received.lock().unwrap().iter().filter(|message| message.is_ping()).count()
    }
}

const FAST: Timing = Timing {
    ping_every: Duration::from_millis(50),
    send_within: Duration::from_millis(50),
    close_within: Duration::from_millis(50),
};
/// No ping is sent in between.
const CALM: Timing = Timing { ping_every: LONG, ..FAST };

fn session(live: &Live, timing: Timing, found: Vec<Arc<Frame>>) -> Session {
    let place = Place { place: 1.try_into().unwrap(), server: "a".to_owned() };
    let subscription = live.enter("5".parse().unwrap(), &place, "key", None).unwrap();
    let read_pending: ReadPending = Box::new(move || {
        let found = found.clone();
        Box::pin(async move { Ok(found) })
    });
    Session { subscription, read_pending, stop: CancellationToken::new(), timing }
}

fn command(number: u128) -> Arc<Frame> {
    Frame { text: number.to_string().into(), command: Some(CommandId(Uuid::from_u128(number))) }.into()
}

async fn tell(live: &Live, number: u128) {
    live.tell_guild("5".parse().unwrap(), None, &Task::Frame(command(number))).await;
}

fn live() -> Live {
    Live::new(Capacity::of_files(1_024))
}

async fn ended(task: tokio::task::JoinHandle<()>) {
    tokio::time::timeout(LONG, task).await.expect("the socket ends").unwrap();
}

#[tokio::test]
async fn pending_commands_are_sent_first_and_each_command_once() {
    let (live, (peer, socket)) = (live(), Peer::connected());
    let session = session(&live, CALM, vec![command(1), command(2), command(4)]);
    let stop = session.stop.clone();
    // Announced by an event before the pending ones were sent.
    for number in [2, 3] {
        tell(&live, number).await;
    }
    let task = tokio::spawn(run(socket, session, vec![command(1), command(2)]));
    until(|| peer.texts().len() == 3).await;
    live.tell_all(&Task::ReadAgain).await;
    until(|| peer.texts().len() == 4).await;
    assert_eq!(peer.texts(), ["1", "2", "3", "4"]);
    stop.cancel();
    ended(task).await;
    assert_eq!(peer.close_code(), Some(1001));
    assert!(live.keys().is_empty(), "it left the listeners");
}

#[tokio::test]
async fn a_socket_without_pongs_is_closed_and_one_with_pongs_stays() {
    let (live, (silent, socket)) = (live(), Peer::connected());
    ended(tokio::spawn(run(socket, session(&live, FAST, Vec::new()), Vec::new()))).await;
    assert_eq!((silent.pings(), silent.close_code()), (2, None));

    let (alive, socket) = Peer::connected();
    let task = tokio::spawn(run(socket, session(&live, FAST, Vec::new()), Vec::new()));
    for pings in 1..=6 {
        until(|| alive.pings() >= pings).await;
        alive.says.send(Ok(Message::Pong(Bytes::new()))).unwrap();
    }
    drop(alive);
    ended(task).await;
}

#[tokio::test]
async fn a_peer_that_reads_no_frames_is_too_slow() {
    let (live, (peer, socket)) = (live(), Peer::connected());
    peer.stuck.store(true, Ordering::Relaxed);
    let task = tokio::spawn(run(socket, session(&live, CALM, Vec::new()), vec![command(1)]));
    ended(task).await;
    assert!(live.keys().is_empty() && peer.texts().is_empty());

    // The peer gets the close frame for an overflowed queue as soon as it reads.
    let (peer, socket) = Peer::connected();
    let session = session(&live, Timing { send_within: LONG, close_within: LONG, ..CALM }, Vec::new());
    for number in 0..=QUEUE as u128 {
        tell(&live, number).await;
    }
    let task = tokio::spawn(run(socket, session, Vec::new()));
    until(|| peer.close_code().is_some()).await;
    assert_eq!(peer.close_code(), Some(1013));
    drop(peer);
    ended(task).await;
}

#[tokio::test]
async fn a_revoked_key_sends_a_close_frame_and_the_peer_s_close_ends_the_socket() {
    let (live, (peer, socket)) = (live(), Peer::connected());
    let task = tokio::spawn(run(socket, session(&live, CALM, Vec::new()), Vec::new()));
    live.end_key("key");
    until(|| peer.close_code() == Some(1008)).await;
    ended(task).await;

    let (peer, socket) = Peer::connected();
    let task = tokio::spawn(run(socket, session(&live, CALM, Vec::new()), Vec::new()));
    peer.says.send(Ok(Message::Close(None))).unwrap();
    ended(task).await;
    assert_eq!(peer.close_code(), None, "the protocol answers by itself");
}

#[test]
fn a_sent_command_is_forgotten_long_after_it_was_pending() {
    let issued_at = |ms: u128| command(ms << 80);
    let mut sent = Sent::default();
    assert!(sent.is_new(&issued_at(1)) && !sent.is_new(&issued_at(1)));
    assert!(sent.is_new(&issued_at(SENT_FOR_MS + 1)) && !sent.is_new(&issued_at(1)));
    assert!(sent.is_new(&issued_at(SENT_FOR_MS + 2)));
    assert_eq!(sent.0.len(), 2);
}
