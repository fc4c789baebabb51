//! One supervised connection with one channel. The supervisor is ours: the library's own recovery restores connections
//! but not every channel, and gives up after some attempts.
//!
//! One request a second on each connection detects a broker that vanished without closing, so the first job is done
//! within five seconds of its return. Heartbeats alone would take twenty.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{Future, StreamExt};
use lapin::options::ChannelFlowOptions;
use lapin::{Channel, Connection, Event};
use runtime::Shutdown;
use tokio::sync::{Notify, watch};

use super::dial::connect;

/// Time limit for the whole setup of a new connection.
const SETUP_TIMEOUT: Duration = Duration::from_secs(10);
/// Response timeout of the broker; after it the connection counts as dead.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Interval between two requests.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

pub(super) type Setup = BoxFuture<'static, Result<(), String>>;

/// A connection that has been set up, with the channel it was set up on.
pub(super) struct Live {
    connection: Arc<Connection>,
    pub(super) channel: Channel,
    broken: Notify,
}

impl Live {
    /// The channel is broken: connect anew.
    pub(super) fn renew(&self) {
        self.broken.notify_one();
    }

    fn is_usable(&self) -> bool {
        self.channel.status().connected() && !self.connection.status().blocked()
    }
}

#[derive(Clone)]
pub(super) struct SupervisedConnection {
    live: watch::Receiver<Option<Arc<Live>>>,
    /// Number of connects.
    connects: watch::Receiver<u64>,
}

impl SupervisedConnection {
    /// Connects in the background until shutdown cuts; `setup` runs on each new connection before it is handed out.
    pub(super) fn start(
        url: &str,
        name: &'static str,
        shutdown: &Shutdown,
        setup: impl Fn(Arc<Connection>, Channel) -> Setup + Send + Sync + 'static,
    ) -> Self {
        let (sender, live) = watch::channel(None);
        let (counter, connects) = watch::channel(0);
        let (url, stop) = (url.to_owned(), shutdown.hard().clone());
        shutdown.services().spawn(async move {
            stop.run_until_cancelled(supervise(&url, name, &sender, &counter, setup)).await;
            if let Some(live) = sender.send_replace(None) {
                close(&live.connection).await;
            }
        });
        Self { live, connects }
    }

    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.connects.clone()
    }

    /// The connection, if it is up and the broker accepts messages over it.
    pub(super) fn live(&self) -> Option<Arc<Live>> {
        self.live.borrow().clone().filter(|live| live.is_usable())
    }

    /// The setup must run again: connect anew.
    pub(super) fn renew(&self) {
        if let Some(live) = self.live.borrow().as_ref() {
            live.renew();
        }
    }
}

async fn supervise(
    url: &str,
    name: &'static str,
    live: &watch::Sender<Option<Arc<Live>>>,
    connects: &watch::Sender<u64>,
    setup: impl Fn(Arc<Connection>, Channel) -> Setup,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        match open(url, name, &setup).await {
            Ok(opened) => {
                tracing::info!(connection = name, "connected to the broker");
                pause = FIRST_PAUSE;
                let opened = Arc::new(opened);
                live.send_replace(Some(Arc::clone(&opened)));
                connects.send_modify(|count| *count += 1);
                let reason = tokio::select! {
                    reason = trouble(&opened.connection, &opened.channel) => reason,
                    () = opened.broken.notified() => "a publish went wrong".to_owned(),
                };
                live.send_replace(None);
                tracing::warn!(connection = name, reason, "broker connection ended, connecting anew");
                // In its own task: a broker that does not answer does not close either.
                tokio::spawn(async move { close(&opened.connection).await });
            }
            Err(reason) => {
                runtime::warn_throttled!(
                    connection = name,
                    reason,
                    "cannot connect to the broker, trying again"
                );
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn open(
    url: &str,
    name: &'static str,
    setup: &impl Fn(Arc<Connection>, Channel) -> Setup,
) -> Result<Live, String> {
    let connection = Arc::new(connect(url, name).await?);
    let channel = in_time(connection.create_channel()).await?;
    within(SETUP_TIMEOUT, setup(Arc::clone(&connection), channel.clone())).await?;
    Ok(Live { connection, channel, broken: Notify::new() })
}

/// Returns the reason when the connection or the channel is unusable.
pub(super) async fn trouble(connection: &Connection, channel: &Channel) -> String {
    let mut events = connection.events_listener();
    let mut check = tokio::time::interval(CHECK_INTERVAL);
    check.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(Event::Error(error)) => return error.to_string(),
                Some(Event::ConnectionBlocked(reason)) => {
                    tracing::warn!(reason, "the broker accepts no messages: the safety net claims jobs");
                }
                Some(Event::ConnectionUnblocked) => tracing::info!("the broker accepts messages again"),
                Some(_) => {}
                None => return "the connection was closed".to_owned(),
            },
            _ = check.tick() => if let Err(reason) = ask(connection, channel).await {
                return reason;
            },
        }
    }
}

/// Whether the broker answers. A blocked connection takes no requests, so its heartbeats count instead.
async fn ask(connection: &Connection, channel: &Channel) -> Result<(), String> {
    if connection.status().blocked() {
        return Ok(());
    }
    match in_time(channel.channel_flow(ChannelFlowOptions { active: true })).await {
        Err(_) if connection.status().connected() && connection.status().blocked() => Ok(()),
        asked => asked.map(drop),
    }
}

/// A response of the broker, or why it is missing.
pub(super) async fn in_time<T>(answer: impl Future<Output = lapin::Result<T>>) -> Result<T, String> {
    within(ANSWER_TIMEOUT, async { answer.await.map_err(|error| error.to_string()) }).await
}

/// Like [`in_time`], for the whole setup of a new connection.
pub(super) async fn set_up<T>(steps: impl Future<Output = lapin::Result<T>>) -> Result<T, String> {
    within(SETUP_TIMEOUT, async { steps.await.map_err(|error| error.to_string()) }).await
}

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or_else(|_| Err(format!("no answer within {} s", limit.as_secs())))
}

pub(super) async fn close(connection: &Connection) {
    // An error is ignored: a connection that cannot be closed has ended.
    drop(tokio::time::timeout(Duration::from_secs(1), connection.close(200, "closing".into())).await);
}
