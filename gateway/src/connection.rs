//! One shard: connects while this process leads it, and hands on what it hears.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chat_commands::ChatCommands;
use entities::gateway_shard::{self, Model};
use futures_util::StreamExt;
use platforms::{PlatformError, Platforms};
use queue::Queue;
use runtime::Context;
use runtime::leader::Leadership;
use sea_orm::DbErr;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::watch;
use tokio_websockets::Connector;
use twilight_gateway::error::ReceiveMessageErrorType;
use twilight_gateway::{Config, ConfigBuilder, Message, Session, Shard, ShardId};

use crate::event::{Heard, intents, read};
use crate::place::{Received, Writer};
use crate::starts::Starts;

/// Events that may wait while the database is away. With more, the connection stops to be read, ends, and is resumed later.
const WAITING: usize = 10_000;
/// Between two connections that ended at once.
const PAUSE: Duration = Duration::from_secs(2);
/// The code of a refusal: the application does not have an intent that the session asked for.
const DISALLOWED_INTENTS: u16 = 4014;
/// After a token, a shard or an intent was refused.
const AFTER_REFUSAL: Duration = Duration::from_mins(5);
/// How often a stream without members is asked whether it may have them now.
const LOOKS_FOR_INTENT: Duration = Duration::from_mins(10);

pub(crate) struct Reader {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
    /// `None`: interactions are taken by HTTP.
    pub(crate) chat: Option<Arc<ChatCommands>>,
    pub(crate) starts: Starts,
    pub(crate) leadership: Leadership,
    pub(crate) leads: watch::Receiver<bool>,
    /// Where the stream is, if no session goes on.
    pub(crate) url: String,
    pub(crate) shard: u32,
    pub(crate) shards: u32,
    /// The session's events come in.
    pub(crate) connected: AtomicBool,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error("the certificates of the system cannot be read: {0}")]
    Certificates(tokio_websockets::Error),
    #[error("the chat platform closed the stream for good, with code {0}")]
    Closed(u16),
}

/// Shows whether this process has a session in the event stream.
pub(crate) fn show_connected(shard: u32, connected: bool) {
    metrics::gauge!("guildhall_gateway_connected", "shard" => shard.to_string())
        .set(f64::from(u8::from(connected)));
}

impl Reader {
    pub(crate) async fn keep(mut self) {
        let soft = self.context.shutdown.soft().clone();
        let mut allowed = true;
        loop {
            let leads = async { self.leads.wait_for(|leads| *leads).await.is_ok() };
            if soft.run_until_cancelled(leads).await != Some(true) {
                return;
            }
            let stay = soft.run_until_cancelled(Box::pin(self.read_while_leading(allowed))).await;
            self.note_connected(false);
            let (shard, mut pause) = (self.shard, PAUSE);
            match stay {
                None => return,
                Some(Ok(())) => allowed = true,
                Some(Err(Failure::Closed(DISALLOWED_INTENTS))) if allowed => allowed = false,
                Some(Err(Failure::Closed(code))) => {
                    tracing::error!(shard, code, "the chat platform closed the event stream for good");
                    pause = AFTER_REFUSAL;
                }
                Some(Err(error)) => runtime::warn_throttled!(%error, shard, "cannot read the event stream"),
            }
            if soft.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    fn note_connected(&self, connected: bool) {
        self.connected.store(connected, Ordering::Relaxed);
        show_connected(self.shard, connected);
    }

    /// One stay at the stream: resumes the session where the last process stopped, or begins one.
    /// `allowed`: the platform has not refused the intent for members.
    async fn read_while_leading(&self, allowed: bool) -> Result<(), Failure> {
        let place = self.take_place().await?;
        let members = allowed && self.platforms.application().await?.has_members_intent();
        if !members {
            tracing::warn!(
                "the application has no intent for members: joins and changes of members are not seen; switch \"Server \
                 Members Intent\" on in the developer portal"
            );
        }
        metrics::gauge!("guildhall_gateway_members_intent").set(f64::from(u8::from(members)));
        let config = self.config(&place, members)?;
        let (send, received) = mpsc::channel(WAITING);
        let (context, queue) = (&self.context, &self.queue);
        let (leadership, connected) = (&self.leadership, &self.connected);
        let mut writer = Writer { context, queue, leadership, connected, place };
        let mut leads = self.leads.clone();
        tokio::select! {
            ended = self.hear(config, send) => ended,
            _ = writer.write(received) => Ok(()),
            () = async {
                // Who is alone leads for ever, and hears no more of it.
                if leads.wait_for(|leads| !leads).await.is_err() {
                    std::future::pending::<()>().await;
                }
            } => Ok(()),
            () = self.gets_intent(), if !members => Ok(()),
        }
    }

    async fn take_place(&self) -> Result<Model, DbErr> {
        let tx = self.context.database.begin().await?;
        let [shard, shards] =
            [self.shard, self.shards].map(|number| i32::try_from(number).unwrap_or(i32::MAX));
        let (holder, now) = (self.leadership.holder(), self.context.clock.now());
        let place = gateway_shard::take(&tx, shard, shards, holder, now).await?;
        tx.commit().await?;
        Ok(place)
    }

    fn config(&self, place: &Model, members: bool) -> Result<Config<Starts>, Failure> {
        // The library takes it for granted that they can be read.
        Connector::new().map_err(Failure::Certificates)?;
        let token = self.platforms.chat.token()?.to_owned();
        let config = ConfigBuilder::new(token, intents(members));
        let config = config.proxy_url(self.url.clone()).queue(self.starts.clone());
        let session = place.session.clone().zip(u64::try_from(place.sequence).ok());
        let Some((session, sequence)) = session else { return Ok(config.build()) };
        let config = config.session(Session::new(sequence, session));
        Ok(match &place.resume_url {
            Some(url) => config.resume_url(url.clone()).build(),
            None => config.build(),
        })
    }

    /// Hears until the platform closes the stream for good.
    async fn hear(&self, config: Config<Starts>, send: Sender<Received>) -> Result<(), Failure> {
        let mut shard = Shard::with_config(ShardId::new(self.shard, self.shards), config);
        let mut code = 0;
        while let Some(heard) = shard.next().await {
            match heard {
                Ok(Message::Text(text)) => {
                    let Some(received) = self.received(&shard, &text) else { continue };
                    if send.send(received).await.is_err() {
                        return Ok(());
                    }
                }
                Ok(Message::Close(frame)) => {
                    self.note_connected(false);
                    code = frame.map_or(0, |frame| frame.code);
                    tracing::info!(shard = self.shard, code, "the event stream was cut: connecting again");
                }
                Err(error) => {
                    if matches!(error.kind(), ReceiveMessageErrorType::Reconnect) {
                        self.note_connected(false);
                    }
                    runtime::warn_throttled!(%error, shard = self.shard, "the event stream is not understood");
                }
            }
        }
        Err(Failure::Closed(code))
    }

    fn received(&self, shard: &Shard<Starts>, text: &str) -> Option<Received> {
        let heard = match read(text) {
            Ok(Heard::Interaction(body)) => {
                self.answer(body);
                Heard::Other
            }
            Ok(heard) => heard,
            Err(error) => {
                runtime::warn_throttled!(%error, "an event of the chat platform is not understood");
                Heard::Other
            }
        };
        match &heard {
            Heard::Hello => self.note_connected(false),
            Heard::Ready => {
                tracing::info!(shard = self.shard, "the event stream is read: a new session");
                self.note_connected(true);
            }
            Heard::Resumed => {
                tracing::info!(shard = self.shard, "the event stream is read: the session goes on");
                metrics::counter!("guildhall_gateway_resumes_total").increment(1);
                self.note_connected(true);
            }
            Heard::Event(event) => {
                metrics::counter!("guildhall_gateway_events_total", "event" => event.what.name())
                    .increment(1);
            }
            Heard::Interaction(_) | Heard::Other => {}
        }
        let session = shard.session()?;
        Some(Received {
            heard,
            session: session.id().to_owned(),
            sequence: i64::try_from(session.sequence()).unwrap_or(i64::MAX),
            resume_url: shard.resume_url().map(str::to_owned),
        })
    }

    /// At once, not behind what waits for the database: the platform waits 3 s. What comes before the session goes on was missed.
    fn answer(&self, interaction: String) {
        metrics::counter!("guildhall_gateway_events_total", "event" => "interaction").increment(1);
        let Some(chat) = self.chat.clone() else {
            runtime::warn_throttled!(
                "a command came by the event stream, and GUILDHALL_CHAT_PUBLIC_KEY says that they come by HTTP: enter the \
                 interactions endpoint URL in the developer portal, or unset the key"
            );
            return;
        };
        let missed = !self.connected.load(Ordering::Relaxed);
        let answer = async move { chat.answer_event(&interaction, missed).await };
        self.context.shutdown.tracker().spawn(answer);
    }

    /// Until the application has the intent for members.
    async fn gets_intent(&self) {
        let mut look = tokio::time::interval(LOOKS_FOR_INTENT);
        look.tick().await;
        loop {
            look.tick().await;
            if self.platforms.application().await.is_ok_and(|found| found.has_members_intent()) {
                return;
            }
        }
    }
}
