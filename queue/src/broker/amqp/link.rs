//! One supervised connection with one channel. The supervisor is ours alone: the library's own recovery brings back
//! connections but not every channel, and gives up after some tries.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Future, StreamExt};
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties, Event};
use runtime::Shutdown;
use tokio::sync::{Notify, watch};

/// Seconds without a sign of life after which a connection counts as gone (a half-open one says nothing).
const HEARTBEAT_SECONDS: u16 = 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A closed channel sends no event: its state is looked at this often.
const CHECK_EVERY: Duration = Duration::from_secs(1);

pub(super) type Setup = Pin<Box<dyn Future<Output = lapin::Result<()>> + Send>>;

struct Live {
    connection: Connection,
    channel: Channel,
}

#[derive(Clone)]
pub(super) struct Link {
    live: watch::Receiver<Option<Arc<Live>>>,
    /// How often it has connected.
    connects: watch::Receiver<u64>,
    renew: Arc<Notify>,
}

impl Link {
    /// Connects in the background until shutdown cuts; `setup` runs on each new channel before it is handed out.
    pub(super) fn start(
        url: &str,
        name: &'static str,
        shutdown: &Shutdown,
        setup: impl Fn(Channel) -> Setup + Send + Sync + 'static,
    ) -> Self {
        let (sender, live) = watch::channel(None);
        let (counter, connects) = watch::channel(0);
        let renew = Arc::new(Notify::new());
        let (url, renewed, stop) = (url.to_owned(), Arc::clone(&renew), shutdown.hard().clone());
        shutdown.services().spawn(async move {
            stop.run_until_cancelled(supervise(&url, name, (&sender, &counter, &renewed), setup)).await;
            if let Some(live) = sender.send_replace(None) {
                close(&live.connection).await;
            }
        });
        Self { live, connects, renew }
    }

    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.connects.clone()
    }

    /// The channel, where connected and not blocked by the broker.
    pub(super) fn channel(&self) -> Option<Channel> {
        let live = self.live.borrow();
        let live = live.as_ref()?;
        let usable = live.channel.status().connected() && !live.connection.status().blocked();
        usable.then(|| live.channel.clone())
    }

    /// Another channel of the same connection.
    pub(super) async fn new_channel(&self) -> Option<Channel> {
        let live = self.live.borrow().clone()?;
        tokio::time::timeout(CONNECT_TIMEOUT, live.connection.create_channel()).await.ok()?.ok()
    }

    /// Something is wrong with the channel: connect anew.
    pub(super) fn renew(&self) {
        self.renew.notify_one();
    }
}

async fn supervise(
    url: &str,
    name: &'static str,
    (live, connects, renew): (&watch::Sender<Option<Arc<Live>>>, &watch::Sender<u64>, &Notify),
    setup: impl Fn(Channel) -> Setup,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        match open(url, name, &setup).await {
            Ok(opened) => {
                tracing::info!(link = name, "connected to the broker");
                pause = FIRST_PAUSE;
                let opened = Arc::new(opened);
                live.send_replace(Some(Arc::clone(&opened)));
                connects.send_modify(|count| *count += 1);
                let reason = wait_for_trouble(&opened, renew).await;
                live.send_replace(None);
                close(&opened.connection).await;
                tracing::warn!(link = name, reason, "broker connection ended, connecting anew");
            }
            Err(reason) => {
                tracing::warn!(link = name, reason, "cannot connect to the broker, trying again");
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn open(url: &str, name: &'static str, setup: &impl Fn(Channel) -> Setup) -> Result<Live, String> {
    let connecting = async {
        let connection = connect(url, name).await?;
        let channel = connection.create_channel().await.map_err(|error| error.to_string())?;
        setup(channel.clone()).await.map_err(|error| error.to_string())?;
        Ok(Live { connection, channel })
    };
    tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.unwrap_or_else(|_| Err("timed out".to_owned()))
}

/// A connection whose death is noticed, named for the operator who looks at the broker.
pub(super) async fn connect(url: &str, name: &str) -> Result<Connection, String> {
    let mut uri: AMQPUri = url.parse()?;
    uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
    let properties =
        ConnectionProperties::default().with_connection_name(format!("guildhall {name}").as_str().into());
    Connection::connect_uri(uri, properties).await.map_err(|error| error.to_string())
}

async fn wait_for_trouble(live: &Live, renew: &Notify) -> String {
    let mut events = live.connection.events_listener();
    let mut check = tokio::time::interval(CHECK_EVERY);
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(Event::Error(error)) => return error.to_string(),
                Some(Event::ConnectionBlocked(reason)) => {
                    tracing::warn!(reason, "the broker takes no messages for now: jobs stay in the outbox");
                }
                Some(Event::ConnectionUnblocked) => tracing::info!("the broker takes messages again"),
                Some(_) => {}
                None => return "the connection is gone".to_owned(),
            },
            () = renew.notified() => return "a publish went wrong".to_owned(),
            _ = check.tick() => {
                if !live.connection.status().connected() || !live.channel.status().connected() {
                    return "the channel was closed".to_owned();
                }
            }
        }
    }
}

pub(super) async fn close(connection: &Connection) {
    // Its end is what is wanted; a connection that cannot even be closed is as good as ended.
    drop(tokio::time::timeout(Duration::from_secs(1), connection.close(200, "closing".into())).await);
}
