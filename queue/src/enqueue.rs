//! Enqueues jobs: inserts a row in the transaction of the change that causes the job.

use entities::audit_entry::Actor;
use entities::job::JobMessage;
use entities::job::insert::{self, NewJob};
use entities::{GuildId, JobId, Timestamp};
use runtime::UnitOfWork;
use runtime::telemetry::traces;
use sea_orm::{ConnectionTrait, DbErr};

use crate::Payload;

/// A job to enqueue.
#[derive(Debug, Clone)]
pub struct Draft(NewJob);

/// The result of an enqueue.
#[derive(Debug, Clone)]
pub struct Enqueued {
    /// For [`crate::Queue::call`] after the commit. `None`: the change publishes it, it waits for its guild's share, or was
    /// joined.
    pub message: Option<JobMessage>,
    pub job: JobId,
    /// The job is an unfinished one with the same dedupe key.
    pub joined: bool,
}

impl Enqueued {
    /// An unfinished job that another call enqueued.
    pub fn joined(job: JobId) -> Self {
        Self { message: None, job, joined: true }
    }
}

impl Draft {
    pub fn new<P: Payload>(guild: GuildId, payload: &P, actor: Actor) -> Result<Self, serde_json::Error> {
        Self::of(Some(guild), payload, actor)
    }

    /// A job of the service itself.
    pub fn without_guild<P: Payload>(payload: &P) -> Result<Self, serde_json::Error> {
        Self::of(None, payload, Actor::service())
    }

    fn of<P: Payload>(guild: Option<GuildId>, payload: &P, actor: Actor) -> Result<Self, serde_json::Error> {
        Ok(Self(NewJob {
            id: JobId(uuid::Uuid::now_v7()),
            guild,
            parent: None,
            kind: P::KIND,
            class: payload.class(),
            args: serde_json::to_value(payload)?,
            max_attempts: P::MAX_ATTEMPTS,
            dedupe_key: None,
            total: 0,
            actor,
            traceparent: traces::current(),
        }))
    }

    /// At most one unfinished job of the guild, kind and key: a second enqueue joins the first.
    #[must_use]
    pub fn once(mut self, dedupe_key: &str) -> Self {
        self.0.dedupe_key = Some(dedupe_key.to_owned());
        self
    }

    /// The number of steps, for its progress.
    #[must_use]
    pub fn total(mut self, total: i64) -> Self {
        self.0.total = total;
        self
    }

    /// Of the job, if it is inserted.
    pub fn id(&self) -> JobId {
        self.0.id
    }

    pub(crate) fn into_chunk_of(mut self, parent: JobId) -> NewJob {
        self.0.parent = Some(parent);
        self.0
    }

    /// Inserts the job with the change that causes it, whose commit publishes it. It runs when a worker is free and its
    /// guild's share allows it.
    pub async fn enqueue(self, work: &mut UnitOfWork) -> Result<Enqueued, DbErr> {
        let mut enqueued = self.insert(work.tx(), work.now()).await?;
        work.publish(enqueued.message.take());
        Ok(enqueued)
    }

    /// Inserts the job for a caller who publishes it after the commit, and waits for its answer.
    pub async fn insert<C: ConnectionTrait>(self, conn: &C, now: Timestamp) -> Result<Enqueued, DbErr> {
        let job = self.0;
        let (id, guild, kind, dedupe_key) = (job.id, job.guild, job.kind, job.dedupe_key.clone());
        if let Some((_, message)) = insert::insert(conn, vec![job], now).await?.pop() {
            return Ok(Enqueued { message, job: id, joined: false });
        }
        let key = dedupe_key.ok_or(DbErr::RecordNotInserted)?;
        let open = insert::find_open_by_dedupe_keys(conn, guild, kind, &[key]).await?.pop();
        // The existing job ended between the two statements: the caller's transaction starts over.
        let open = open.ok_or(DbErr::RecordNotInserted)?;
        Ok(Enqueued::joined(open.job_id))
    }
}

/// Like [`Draft::enqueue`], several jobs in one statement, without those whose dedupe key an unfinished job has.
pub async fn enqueue_many(work: &mut UnitOfWork, drafts: Vec<Draft>) -> Result<(), DbErr> {
    let jobs = drafts.into_iter().map(|draft| draft.0).collect();
    let inserted = insert::insert(work.tx(), jobs, work.now()).await?;
    work.publish(inserted.into_iter().filter_map(|(_, message)| message));
    Ok(())
}
