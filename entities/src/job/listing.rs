//! Looking at jobs: one, a guild's, and what waits.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{Iterable, QueryOrder, QuerySelect};

use super::{Class, Column, Entity, Model, State};
use crate::{GuildId, JobId, Timestamp};

/// A guild's job; chunks are not shown to guilds.
pub async fn find<C: ConnectionTrait>(conn: &C, guild: GuildId, job: JobId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(job)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ParentId.is_null())
        .one(conn)
        .await
}

/// Any job, for the service itself and its operators.
pub async fn find_any<C: ConnectionTrait>(conn: &C, job: JobId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(job).one(conn).await
}

/// Which jobs a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    pub guild: Option<GuildId>,
    pub state: Option<State>,
    pub kind: Option<&'a str>,
}

/// Jobs that are nobody's chunk, newest first, older than the cursor; without their arguments, which may be megabytes,
/// and their history.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    filter: Filter<'_>,
    (cursor, limit): (Option<JobId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let mut query = slim().order_by_desc(Column::JobId).limit(limit);
    if let Some(guild) = filter.guild {
        query = query.filter(Column::GuildId.eq(guild));
    }
    if let Some(state) = filter.state {
        query = query.filter(Column::State.eq(state));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(Column::Kind.eq(kind));
    }
    if let Some(cursor) = cursor {
        query = query.filter(Column::JobId.lt(cursor));
    }
    query.all(conn).await
}

/// Unfinished bulk jobs, of one guild or all, oldest first; without their arguments and history.
pub async fn open_bulk<C: ConnectionTrait>(
    conn: &C,
    guild: Option<GuildId>,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let mut query = slim()
        .filter(Column::Class.eq(Class::Bulk))
        .filter(Column::FinishedAt.is_null())
        .order_by_asc(Column::JobId)
        .limit(limit);
    if let Some(guild) = guild {
        query = query.filter(Column::GuildId.eq(guild));
    }
    query.all(conn).await
}

/// Nobody's chunks, without what may be large.
fn slim() -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns(Column::iter().filter(|column| !matches!(column, Column::Args | Column::Errors)))
        .expr_as(Expr::value(Json::Object(serde_json::Map::new())), "args")
        .expr_as(Expr::value(Option::<Json>::None), "errors")
        .filter(Column::ParentId.is_null())
}

/// The unfinished job of a kind in a guild that was enqueued last.
pub async fn find_open<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    kind: &str,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Kind.eq(kind))
        .filter(Column::FinishedAt.is_null())
        .order_by_desc(Column::JobId)
        .one(conn)
        .await
}

/// What waits in a class: how many jobs are queued and since when the oldest is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub queued: i64,
    pub oldest: Option<Timestamp>,
}

pub async fn backlog<C: ConnectionTrait>(conn: &C, class: Class) -> Result<Backlog, DbErr> {
    let row: Option<(i64, Option<Timestamp>)> = Entity::find()
        .select_only()
        .column_as(Column::JobId.count(), "queued")
        .column_as(Column::RunAt.min(), "oldest")
        .filter(Column::Class.eq(class))
        .filter(Column::State.eq(State::Queued))
        .into_tuple()
        .one(conn)
        .await?;
    let (queued, oldest) = row.unwrap_or((0, None));
    Ok(Backlog { queued, oldest })
}

/// Since when the oldest job waits that no broker has confirmed.
pub async fn oldest_unpublished<C: ConnectionTrait>(conn: &C) -> Result<Option<Timestamp>, DbErr> {
    let row: Option<Option<Timestamp>> = Entity::find()
        .select_only()
        .column_as(Column::RunAt.min(), "oldest")
        .filter(Column::State.eq(State::Queued))
        .filter(Column::PublishedAt.is_null())
        .into_tuple()
        .one(conn)
        .await?;
    Ok(row.flatten())
}

/// The chunks of a job that some worker runs at the moment.
pub async fn running_children<C: ConnectionTrait>(conn: &C, parent: JobId) -> Result<Vec<JobId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::JobId)
        .filter(Column::ParentId.eq(parent))
        .filter(Column::State.eq(State::Running))
        .into_tuple()
        .all(conn)
        .await
}

/// How many jobs of a kind ended well.
pub async fn count_succeeded<C: ConnectionTrait>(conn: &C, kind: &str) -> Result<u64, DbErr> {
    Entity::find().filter(Column::Kind.eq(kind)).filter(Column::State.eq(State::Succeeded)).count(conn).await
}
