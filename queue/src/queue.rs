//! The handle every process has on the job system: publish after a commit, wait for an answer.

use std::time::Duration;

use entities::JobId;
use entities::job::lifecycle::Held;
use entities::job::{Ticket, listing};
use runtime::{Clock, Database, Events, Need, Shutdown, fail_point};
use tokio::sync::mpsc;

use crate::broker::Broker;
use crate::gauges;
use crate::relay;
use crate::waiters::Waiters;
use crate::{Answer, Enqueued};

/// How many published jobs are noted in one statement, at most.
const MARK_BATCH: usize = 500;

/// A caller who joined a job of somebody else's looks at the row this often.
const JOIN_POLL: Duration = Duration::from_millis(250);

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("the database failed: {0}")]
    Database(#[from] sea_orm::DbErr),
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
    published: mpsc::UnboundedSender<Held>,
}

impl Queue {
    /// The in-process queue of the embedded mode.
    pub fn embedded(context: &runtime::Context) -> Self {
        Self::start(context, Broker::in_process)
    }

    /// The queue over RabbitMQ. Connects in the background and keeps doing so: a broker that is away is no error.
    pub fn distributed(context: &runtime::Context, url: &str, prefix: &str) -> Self {
        let (forget, shutdown) = (relay::forget(context), context.shutdown.clone());
        let queue = Self::start(context, |waiters| Broker::amqp((url, prefix), waiters, forget, shutdown));
        // Without it jobs wait in their rows and everything else goes on: no reason to take a process out.
        let broker = queue.broker.clone();
        context.readiness.check("broker", Need::Optional, move || std::future::ready(broker.is_connected()));
        queue
    }

    fn start(context: &runtime::Context, broker: impl FnOnce(Waiters) -> Broker) -> Self {
        let waiters = Waiters::default();
        let (published, jobs) = mpsc::unbounded_channel();
        let queue = Self {
            clock: context.clock.clone(),
            database: context.database.clone(),
            broker: broker(waiters.clone()),
            events: context.events.clone(),
            shutdown: context.shutdown.clone(),
            waiters,
            published,
        };
        context.shutdown.services().spawn(mark_published(context.clone(), jobs));
        context.shutdown.services().spawn(gauges::keep(context.clone()));
        queue
    }

    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Rings for committed jobs, in the background. What cannot be published now is left to the relay.
    pub fn publish(&self, tickets: impl IntoIterator<Item = Ticket>) {
        for ticket in tickets {
            let queue = self.clone();
            self.shutdown.tracker().spawn(async move { queue.publish_one(&ticket, false).await });
        }
    }

    /// Rings and waits for the broker's confirmation; true when it has the message.
    pub(crate) async fn publish_one(&self, ticket: &Ticket, expect_reply: bool) -> bool {
        fail_point("after_insert", &ticket.kind).await;
        match self.broker.publish(ticket, expect_reply).await {
            Ok(()) => {
                fail_point("after_confirm", &ticket.kind).await;
                // The receiver ends with the process only.
                let _ = self.published.send(Held { job: ticket.job, lease: ticket.lease });
                true
            }
            Err(error) => {
                tracing::debug!(job.id = %ticket.job, %error, "not published, the relay will");
                false
            }
        }
    }

    /// Publishes a committed job and waits for its answer. `None`: none yet, the job goes on by itself.
    pub async fn call(&self, enqueued: Enqueued, wait: Duration) -> Result<Option<Answer>, QueueError> {
        let job = enqueued.job;
        match enqueued.ticket {
            Some(ticket) if wait.is_zero() => {
                // Whoever does not wait is told that it goes on, however fast the worker is.
                self.publish([ticket]);
                return Ok(None);
            }
            Some(ticket) => {
                if let Some(answer) = self.ring_and_wait(ticket, wait).await {
                    return Ok(Some(answer));
                }
            }
            None => return self.join(job, wait).await,
        }
        self.read_answer(job).await
    }

    async fn ring_and_wait(&self, ticket: Ticket, wait: Duration) -> Option<Answer> {
        let mut waiting = self.waiters.register(ticket.job);
        let deadline = tokio::time::Instant::now() + wait;
        let queue = self.clone();
        self.shutdown.tracker().spawn(async move { queue.publish_one(&ticket, true).await });
        tokio::time::timeout_at(deadline, &mut waiting.receiver).await.ok()?.ok()
    }

    /// Waits for a job that was enqueued by another call.
    pub async fn join(&self, job: JobId, wait: Duration) -> Result<Option<Answer>, QueueError> {
        let deadline = tokio::time::Instant::now() + wait;
        loop {
            let answer = self.read_answer(job).await?;
            if answer.is_some() || tokio::time::Instant::now() >= deadline {
                return Ok(answer);
            }
            tokio::time::sleep_until(deadline.min(tokio::time::Instant::now() + JOIN_POLL)).await;
        }
    }

    async fn read_answer(&self, job: JobId) -> Result<Option<Answer>, QueueError> {
        Ok(listing::find_any(self.database.read(), job).await?.as_ref().and_then(Answer::of))
    }
}

/// Notes confirmed publishes in batches. A note that fails costs a second message, no more.
async fn mark_published(context: runtime::Context, mut jobs: mpsc::UnboundedReceiver<Held>) {
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            count = jobs.recv_many(&mut batch, MARK_BATCH) => if count == 0 { return },
            () = context.shutdown.hard().cancelled() => return,
        }
        let now = context.clock.now();
        if let Err(error) = entities::job::outbox::mark_published(context.database.write(), &batch, now).await
        {
            tracing::warn!(%error, jobs = batch.len(), "cannot note published jobs: the relay will ring again");
        }
        batch.clear();
    }
}
