//! Enqueueing: a row in the transaction of the change that causes the job.

use entities::audit_entry::Actor;
use entities::job::lifecycle::{self, NewJob};
use entities::job::{State, Ticket};
use entities::{GuildId, JobId, Timestamp};
use sea_orm::{ConnectionTrait, DbErr};

use crate::Payload;

/// A job about to be enqueued.
#[derive(Debug, Clone)]
pub struct Draft(NewJob);

/// What enqueueing came to.
#[derive(Debug, Clone)]
pub struct Enqueued {
    /// To be handed to [`crate::Queue::publish`] after the commit; none where an unfinished job with the same dedupe
    /// key stands already.
    pub ticket: Option<Ticket>,
    pub job: JobId,
}

impl Draft {
    pub fn new<P: Payload>(guild: GuildId, payload: &P, actor: Actor) -> Result<Self, serde_json::Error> {
        Ok(Self(NewJob {
            id: JobId(uuid::Uuid::now_v7()),
            guild: Some(guild),
            parent: None,
            kind: P::KIND,
            class: P::CLASS,
            args: serde_json::to_value(payload)?,
            state: State::Queued,
            run_at: None,
            max_attempts: P::MAX_ATTEMPTS,
            dedupe_key: None,
            total: 0,
            actor,
        }))
    }

    /// At most one unfinished job of the guild, kind and key: a second one finds the first.
    #[must_use]
    pub fn once(mut self, dedupe_key: &str) -> Self {
        self.0.dedupe_key = Some(dedupe_key.to_owned());
        self
    }

    /// How many steps it has, for its progress.
    #[must_use]
    pub fn total(mut self, total: i64) -> Self {
        self.0.total = total;
        self
    }

    /// A chunk of `parent`: it waits for its turn.
    #[must_use]
    pub fn chunk_of(mut self, parent: JobId) -> Self {
        self.0.parent = Some(parent);
        self.0.state = State::Scheduled;
        self
    }

    /// Inserts a chunk that waits for its turn.
    pub async fn insert_waiting<C: ConnectionTrait>(self, conn: &C, now: Timestamp) -> Result<(), DbErr> {
        lifecycle::insert_many(conn, vec![self.0], now).await
    }

    pub fn id(&self) -> JobId {
        self.0.id
    }

    pub(crate) fn into_row(self) -> NewJob {
        self.0
    }

    /// Inserts the job, to run as soon as the transaction is committed and a worker is free.
    pub async fn enqueue<C: ConnectionTrait>(mut self, conn: &C, now: Timestamp) -> Result<Enqueued, DbErr> {
        self.0.run_at = Some(now);
        let job = self.0;
        let (id, guild, kind, dedupe_key) = (job.id, job.guild, job.kind, job.dedupe_key.clone());
        let ticket = Ticket::fresh(id, kind, job.class);
        if lifecycle::insert(conn, job, now).await? {
            return Ok(Enqueued { ticket: Some(ticket), job: id });
        }
        let (Some(guild), Some(key)) = (guild, dedupe_key) else {
            return Err(DbErr::RecordNotInserted);
        };
        let open = lifecycle::find_open_by_dedupe_key(conn, guild, kind, &key).await?;
        // It ended between the two statements: the caller's transaction starts over.
        let open = open.ok_or(DbErr::RecordNotInserted)?;
        Ok(Enqueued { ticket: None, job: open.job_id })
    }
}

/// Inserts several jobs at once, to run as soon as the transaction is committed. Drafts with a dedupe key go one by one.
pub async fn enqueue_many<C: ConnectionTrait>(
    conn: &C,
    drafts: Vec<Draft>,
    now: Timestamp,
) -> Result<Vec<Ticket>, DbErr> {
    let rows: Vec<NewJob> = drafts.into_iter().map(|draft| NewJob { run_at: Some(now), ..draft.0 }).collect();
    let tickets = rows.iter().map(|job| Ticket::fresh(job.id, job.kind, job.class)).collect();
    lifecycle::insert_many(conn, rows, now).await?;
    Ok(tickets)
}
