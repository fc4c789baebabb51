//! The handle of every process on the job system: publish after a commit, wait for an answer.

use std::time::Duration;

use entities::JobId;
use entities::job::{JobMessage, listing};
use futures_util::{StreamExt, stream};
use runtime::{Clock, Database, Events, Need, Shutdown, UnitOfWork, fail_point};
use sea_orm::DbErr;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::broker::Broker;
use crate::reply::Waiters;
use crate::{Answer, Enqueued};

/// Interval at which a caller that waits for an answer message also reads the row: the safety net may have run its job,
/// and an answer may be lost.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The same for a caller that gets no message: the broker is down, or another call enqueued the job.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Jobs due later than this are left to the safety net.
const LONGEST_TIMER: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("the database failed: {0}")]
    Database(#[from] DbErr),
    #[error("job arguments cannot be written: {0}")]
    Arguments(#[from] serde_json::Error),
}

#[derive(Clone)]
pub struct Queue {
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    pub(crate) broker: Broker,
    pub(crate) events: Events,
    pub(crate) shutdown: Shutdown,
    waiters: Waiters,
}

impl Queue {
    /// The in-process queue of the embedded mode.
    pub fn embedded(context: &runtime::Context) -> Self {
        Self::start(context, Broker::in_process)
    }

    /// The queue over RabbitMQ. Connects in the background and reconnects; an unreachable broker is not an
    /// error.
    pub fn distributed(context: &runtime::Context, url: &str, prefix: &str) -> Self {
        let shutdown = context.shutdown.clone();
        let queue = Self::start(context, |waiters| Broker::amqp(url, prefix, waiters, shutdown));
        // Without the broker jobs are found in the database a second later, so the process stays ready.
        let broker = queue.broker.clone();
        context.readiness.check("broker", Need::Optional, move || std::future::ready(broker.is_connected()));
        queue
    }

    fn start(context: &runtime::Context, broker: impl FnOnce(Waiters) -> Broker) -> Self {
        let waiters = Waiters::default();
        Self {
            clock: context.clock.clone(),
            database: context.database.clone(),
            broker: broker(waiters.clone()),
            events: context.events.clone(),
            shutdown: context.shutdown.clone(),
            waiters,
        }
    }

    /// A handle whose reads fail at once while the database is away; see [`Database::guarded`].
    #[must_use]
    pub fn guarded(self) -> Self {
        Self { database: self.database.guarded(), ..self }
    }

    /// A unit of work. [`publish`](Self::publish) the jobs that its commit returns.
    pub(crate) async fn begin(&self) -> Result<UnitOfWork, DbErr> {
        Ok(UnitOfWork::new(self.database.begin().await?, &self.events, self.clock.now()))
    }

    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Publishes committed jobs in the background. The safety net finds those that cannot be published.
    pub fn publish(&self, messages: impl IntoIterator<Item = JobMessage>) {
        let messages: Vec<JobMessage> = messages.into_iter().collect();
        if messages.is_empty() {
            return;
        }
        let queue = self.clone();
        self.shutdown.tracker().spawn(async move {
            let publish = |message: JobMessage| {
                let queue = &queue;
                async move { queue.publish_one(&message, false).await }
            };
            stream::iter(messages).for_each_concurrent(None, publish).await;
        });
    }

    /// Publishes a job that becomes due after `wait`, which is at most a minute early for the safety net.
    pub(crate) fn publish_after(&self, message: JobMessage, wait: Duration) {
        if wait.is_zero() {
            return self.publish([message]);
        }
        if wait > LONGEST_TIMER {
            return;
        }
        let (queue, soft) = (self.clone(), self.shutdown.soft().clone());
        self.shutdown.services().spawn(async move {
            if soft.run_until_cancelled(tokio::time::sleep(wait)).await.is_some() {
                queue.publish_one(&message, false).await;
            }
        });
    }

    async fn publish_one(&self, message: &JobMessage, expect_reply: bool) {
        fail_point("after_insert", &message.kind).await;
        match self.broker.publish(message, expect_reply).await {
            Ok(()) => fail_point("after_confirm", &message.kind).await,
            Err(error) => {
                tracing::debug!(job.id = %message.job, %error, "not published: the safety net finds it");
            }
        }
    }

    /// Publishes a committed job and waits for its answer. `None`: the job is still running.
    pub async fn call(&self, enqueued: Enqueued, wait: Duration) -> Result<Option<Answer>, QueueError> {
        let (job, deadline) = (enqueued.job, Instant::now() + wait);
        let Some(message) = enqueued.message else { return self.poll(job, deadline).await };
        if wait.is_zero() {
            // A caller that does not wait gets "running", however fast the worker is.
            self.publish([message]);
            return Ok(None);
        }
        let mut waiting = self.waiters.register(job);
        let queue = self.clone();
        self.shutdown.tracker().spawn(async move { queue.publish_one(&message, true).await });
        while self.broker.is_connected() {
            let look = deadline.min(Instant::now() + CHECK_INTERVAL);
            if let Ok(Ok(answer)) = timeout_at(look, &mut waiting.receiver).await {
                return Ok(Some(answer));
            }
            let answer = self.read_answer(job).await?;
            if answer.is_some() || Instant::now() >= deadline {
                return Ok(answer);
            }
        }
        self.poll(job, deadline).await
    }

    /// Reads the row until the job has ended or the timeout expires.
    async fn poll(&self, job: JobId, deadline: Instant) -> Result<Option<Answer>, QueueError> {
        loop {
            let answer = self.read_answer(job).await?;
            if answer.is_some() || Instant::now() >= deadline {
                return Ok(answer);
            }
            sleep_until(deadline.min(Instant::now() + POLL_INTERVAL)).await;
        }
    }

    async fn read_answer(&self, job: JobId) -> Result<Option<Answer>, QueueError> {
        Ok(listing::find_any(self.database.read(), job).await?.as_ref().and_then(Answer::of))
    }
}
