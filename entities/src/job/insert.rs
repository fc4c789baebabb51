//! Enqueueing: the row, in the transaction of the change that causes the job.

use sea_orm::FromQueryResult;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, InsertStatement, OnConflict, Query, SimpleExpr};

use super::{
    Class, Column, Entity, JobMessage, Model, State, time,
    turns::{self, InFlight},
};
use crate::audit_entry::Actor;
use crate::{Conn, GuildId, JobId, Result, Timestamp, lists};

/// A job to be inserted.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub id: JobId,
    pub guild: Option<GuildId>,
    pub parent: Option<JobId>,
    pub kind: &'static str,
    pub class: Class,
    pub args: Json,
    pub max_attempts: i32,
    pub dedupe_key: Option<String>,
    pub total: i64,
    pub actor: Actor,
    /// The span that enqueues it, as W3C Trace Context writes it.
    pub traceparent: Option<String>,
}

impl NewJob {
    /// The columns of a new row whose value is not the schema's default.
    fn row(self, state: SimpleExpr, now: SimpleExpr) -> [(Column, SimpleExpr); 16] {
        [
            (Column::JobId, Expr::val(self.id)),
            (Column::GuildId, Expr::val(self.guild)),
            (Column::ParentId, Expr::val(self.parent)),
            (Column::Kind, Expr::val(self.kind)),
            (Column::Class, Expr::val(self.class)),
            (Column::Args, Expr::val(self.args)),
            (Column::State, state),
            (Column::MaxAttempts, Expr::val(self.max_attempts)),
            (Column::DedupeKey, Expr::val(self.dedupe_key)),
            (Column::ProgressTotal, Expr::val(self.total)),
            (Column::ActorId, Expr::val(self.actor.actor_id)),
            (Column::KeyId, Expr::val(self.actor.key_id)),
            (Column::RequestId, Expr::val(self.actor.request_id)),
            (Column::Traceparent, Expr::val(self.traceparent)),
            (Column::RunAt, now.clone()),
            (Column::CreatedAt, now),
        ]
    }
}

/// An inserted row.
#[derive(Debug, FromQueryResult)]
struct Inserted {
    job_id: JobId,
    state: State,
    run_at: Timestamp,
    kind: String,
    class: Class,
}

impl Inserted {
    fn message(self) -> Option<JobMessage> {
        let Self { job_id: job, run_at, kind, class, .. } = self;
        let message = JobMessage { job, token: 0, run_at, kind, class, reply_to: None };
        (self.state == State::Queued).then_some(message)
    }
}

/// Inserts jobs, each queued or held according to its guild's share. Returns the inserted jobs, with a message where
/// they are queued. A job is skipped if an unfinished one has the same guild, kind and dedupe key.
pub async fn insert(
    conn: &impl Conn,
    jobs: Vec<NewJob>,
    now: Timestamp,
) -> Result<Vec<(JobId, Option<JobMessage>)>> {
    let mut inserted = Vec::with_capacity(jobs.len());
    let rows = match jobs.as_slice() {
        [NewJob { guild: Some(guild), class, .. }] => {
            let state = turns::state_of_one(conn, *guild, *class, now);
            jobs.into_iter().map(|job| (job, state.clone())).collect()
        }
        _ => placed(conn, jobs, now).await?,
    };
    for mut insert in statements(conn, rows, now)? {
        insert.returning(Query::returning().columns([
            Column::JobId,
            Column::State,
            Column::RunAt,
            Column::Kind,
            Column::Class,
        ]));
        for row in conn.query_all(&insert).await? {
            let row = Inserted::from_query_result(&row, "")?;
            inserted.push((row.job_id, row.message()));
        }
    }
    Ok(inserted)
}

/// Each job with the state that its guild's share gives it.
async fn placed(conn: &impl Conn, jobs: Vec<NewJob>, now: Timestamp) -> Result<Vec<(NewJob, SimpleExpr)>> {
    let guilds = jobs.iter().filter_map(|job| job.guild).collect();
    let mut in_flight = InFlight::read(conn, guilds, now).await?;
    let place = |job: NewJob| {
        let state = job.guild.map_or(State::Queued, |guild| in_flight.add(guild, job.class));
        (job, Expr::value(state))
    };
    Ok(jobs.into_iter().map(place).collect())
}

/// Inserts chunks, which wait until their parent's plan is complete.
pub async fn insert_held(conn: &impl Conn, jobs: Vec<NewJob>, now: Timestamp) -> Result<()> {
    let rows = jobs.into_iter().map(|job| (job, Expr::value(State::Held))).collect();
    for insert in statements(conn, rows, now)? {
        conn.execute(&insert).await?;
    }
    Ok(())
}

/// Rows per statement, well under SQLite's limit of 32,766 bound values.
const ROWS_PER_STATEMENT: usize = 500;

/// Statements that insert the rows and skip conflicts with an unfinished job of the same dedupe key.
fn statements(
    conn: &impl Conn,
    rows: Vec<(NewJob, SimpleExpr)>,
    now: Timestamp,
) -> Result<Vec<InsertStatement>> {
    let mut rows = rows.into_iter().peekable();
    let mut statements = Vec::new();
    while rows.peek().is_some() {
        let mut insert = Query::insert();
        insert.into_table(Entity);
        for (job, state) in rows.by_ref().take(ROWS_PER_STATEMENT) {
            let row = job.row(state, time::now(conn, now));
            insert.columns(row.each_ref().map(|(column, _)| *column));
            insert.values(row.map(|(_, value)| value)).map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        insert.on_conflict(OnConflict::new().do_nothing().to_owned());
        statements.push(insert);
    }
    Ok(statements)
}

/// The unfinished jobs that conflict with [`insert`].
pub async fn find_open_by_dedupe_keys(
    conn: &impl Conn,
    guild: Option<GuildId>,
    kind: &str,
    dedupe_keys: &[String],
) -> Result<Vec<Model>> {
    let same_guild = match guild {
        Some(guild) => Column::GuildId.eq(guild),
        None => Column::GuildId.is_null(),
    };
    Entity::find()
        .filter(same_guild)
        .filter(Column::Kind.eq(kind))
        .filter(lists::any_of(conn, Column::DedupeKey, dedupe_keys.iter().cloned()))
        .filter(Column::FinishedAt.is_null())
        .all(conn)
        .await
}
