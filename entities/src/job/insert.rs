//! Enqueueing: the row, in the transaction of the change that causes the job.

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict, Query, SimpleExpr};
use sea_orm::{ActiveModelTrait, Iterable};

use super::{ActiveModel, Class, Column, Entity, Model, State, time, turns};
use crate::audit_entry::Actor;
use crate::{GuildId, JobId, Timestamp};

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
}

impl NewJob {
    fn row(self, state: State, now: Timestamp) -> ActiveModel {
        ActiveModel {
            job_id: Set(self.id),
            guild_id: Set(self.guild),
            parent_id: Set(self.parent),
            kind: Set(self.kind.to_owned()),
            class: Set(self.class),
            args: Set(self.args),
            state: Set(state),
            attempt: Set(0),
            max_attempts: Set(self.max_attempts),
            crashes: Set(0),
            token: Set(0),
            run_at: Set(now),
            dedupe_key: Set(self.dedupe_key),
            progress_done: Set(0),
            progress_total: Set(self.total),
            progress_failed: Set(0),
            cancel_requested: Set(false),
            actor_id: Set(Some(self.actor.actor_id)),
            key_id: Set(self.actor.key_id),
            request_id: Set(self.actor.request_id),
            created_at: Set(now),
            ..Default::default()
        }
    }
}

/// Inserts jobs, each queued or held as its guild's turn has it. Returns those that were inserted, with their state: a
/// job is left out where an unfinished one has the same guild, kind and dedupe key.
pub async fn insert<C: ConnectionTrait>(
    conn: &C,
    jobs: Vec<NewJob>,
    now: Timestamp,
) -> Result<Vec<(JobId, State)>, DbErr> {
    let mut rows = Vec::with_capacity(jobs.len());
    for job in jobs {
        let state = job.guild.map(|guild| turns::state_of_next(conn, (guild, job.class), now));
        rows.push((job.row(State::Queued, now), state));
    }
    write(conn, rows, now).await
}

/// Inserts chunks, which wait until their parent's plan is made.
pub async fn insert_held<C: ConnectionTrait>(
    conn: &C,
    jobs: Vec<NewJob>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let rows = jobs.into_iter().map(|job| (job.row(State::Held, now), None)).collect();
    write(conn, rows, now).await.map(drop)
}

/// Rows a statement: well under SQLite's limit of 32,766 bound values.
const ROWS_A_STATEMENT: usize = 500;

async fn write<C: ConnectionTrait>(
    conn: &C,
    rows: Vec<(ActiveModel, Option<SimpleExpr>)>,
    now: Timestamp,
) -> Result<Vec<(JobId, State)>, DbErr> {
    let mut inserted = Vec::with_capacity(rows.len());
    let columns: Vec<Column> = Column::iter()
        .filter(|column| rows.first().is_some_and(|(row, _)| row.get(*column).is_set()))
        .collect();
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let mut insert = Query::insert();
        insert.into_table(Entity).columns(columns.clone());
        for (mut row, state) in rows.by_ref().take(ROWS_A_STATEMENT) {
            let values = columns.iter().map(|column| match column {
                Column::State if state.is_some() => {
                    state.clone().unwrap_or_else(|| Expr::value(State::Queued))
                }
                Column::RunAt | Column::CreatedAt => time::now(conn, now),
                _ => row.take(*column).into_value().map_or_else(Expr::null, Expr::val),
            });
            insert.values(values).map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        insert.on_conflict(OnConflict::new().do_nothing().to_owned());
        insert.returning(Query::returning().columns([Column::JobId, Column::State]));
        for row in conn.query_all(&insert).await? {
            inserted.push((row.try_get("", "job_id")?, row.try_get("", "state")?));
        }
    }
    Ok(inserted)
}

/// The unfinished job that [`insert`] ran into.
pub async fn find_open_by_dedupe_key<C: ConnectionTrait>(
    conn: &C,
    guild: Option<GuildId>,
    kind: &str,
    dedupe_key: &str,
) -> Result<Option<Model>, DbErr> {
    let same_guild = match guild {
        Some(guild) => Column::GuildId.eq(guild),
        None => Column::GuildId.is_null(),
    };
    Entity::find()
        .filter(same_guild)
        .filter(Column::Kind.eq(kind))
        .filter(Column::DedupeKey.eq(dedupe_key))
        .filter(Column::FinishedAt.is_null())
        .one(conn)
        .await
}
