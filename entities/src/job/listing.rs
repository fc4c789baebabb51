//! Reads jobs: a single job, the jobs of a guild, and the backlog.

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, Iterable, QueryOrder, QuerySelect};

use super::model::{Class, Column, Entity, Model, State};
use super::status::Status;
use super::time;
use crate::{Conn, GuildId, JobId, Page, Result, Timestamp, job_pause};

/// A guild's job; chunks are not shown to guilds.
pub async fn find(conn: &impl Conn, guild: GuildId, job: JobId) -> Result<Option<Model>> {
    Entity::find_by_id(job)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ParentId.is_null())
        .one(conn)
        .await
}

/// Any job, for the service itself and its operators.
pub async fn find_any(conn: &impl Conn, job: JobId) -> Result<Option<Model>> {
    Entity::find_by_id(job).one(conn).await
}

/// Those of these jobs that have not ended, with when they were enqueued.
pub async fn unfinished(conn: &impl Conn, jobs: &[JobId]) -> Result<HashMap<JobId, Timestamp>> {
    let columns = [Column::JobId, Column::State, Column::CreatedAt];
    let rows =
        Entity::find().select_only().columns(columns).filter(Column::JobId.is_in(jobs.iter().copied()));
    let rows: Vec<(JobId, State, Timestamp)> = rows.into_tuple().all(conn).await?;
    let open = rows.into_iter().filter(|(_, state, _)| state.is_open());
    Ok(open.map(|(job, _, created_at)| (job, created_at)).collect())
}

/// Filter of a list of jobs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    pub guild: Option<GuildId>,
    pub status: Option<Status>,
    pub kind: Option<&'a str>,
    pub class: Option<Class>,
}

/// Jobs other than chunks, newest first; without their arguments, which may be megabytes, and their history.
pub async fn list(
    conn: &impl Conn,
    filter: Filter<'_>,
    page: Page<JobId>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    page.of(matching(filter, now), Column::JobId).all(conn).await
}

/// The same, without the jobs of periodic tasks.
pub async fn list_of_guilds(
    conn: &impl Conn,
    filter: Filter<'_>,
    page: Page<JobId>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    page.of(matching(filter, now).filter(Column::GuildId.is_not_null()), Column::JobId).all(conn).await
}

fn matching(filter: Filter<'_>, now: Timestamp) -> Select<Entity> {
    let shown = Condition::all()
        .add_option(filter.guild.map(|guild| Column::GuildId.eq(guild)))
        .add_option(filter.status.map(|status| status.condition(now)))
        .add_option(filter.kind.map(|kind| Column::Kind.eq(kind)))
        .add_option(filter.class.map(|class| Column::Class.eq(class)));
    slim().filter(shown)
}

/// Unfinished bulk jobs, of one guild or all, oldest first; without their arguments and history.
pub async fn open_bulk(conn: &impl Conn, guild: Option<GuildId>, limit: u64) -> Result<Vec<Model>> {
    let open = Condition::all()
        .add(Column::Class.eq(Class::Bulk))
        .add(Column::FinishedAt.is_null())
        .add_option(guild.map(|guild| Column::GuildId.eq(guild)));
    slim().filter(open).order_by_asc(Column::JobId).limit(limit).all(conn).await
}

/// The dedupe key of syncs that started by themselves, which give way to those that somebody asked for.
pub const FOLLOW_KEY: &str = "follow";

/// Whether somebody waits for a bulk job: of this guild, or of any in which it is not paused.
pub async fn is_bulk_asked_for(conn: &impl Conn, guild: Option<GuildId>) -> Result<bool> {
    let asked = Condition::all()
        .add(Column::Class.eq(Class::Bulk))
        .add(Column::FinishedAt.is_null())
        .add(Column::GuildId.is_not_null())
        .add(Column::DedupeKey.ne(FOLLOW_KEY))
        .add(guild.map_or_else(|| job_pause::covers_job().not(), |guild| Column::GuildId.eq(guild)));
    let first = Entity::find().select_only().column(Column::JobId).filter(Column::ParentId.is_null());
    let first: Option<JobId> = first.filter(asked).limit(1).into_tuple().one(conn).await?;
    Ok(first.is_some())
}

/// Kinds whose arguments name one account or ticket and nothing long.
const KINDS_OF_ONE_ACCOUNT: [&str; 5] =
    ["sync_member", "assign_role", "remove_role", "mirror_ban", "create_ticket"];

/// The arguments of those of these jobs that concern one person.
pub async fn arguments(conn: &impl Conn, jobs: &[Model]) -> Result<HashMap<JobId, Json>> {
    let ids: Vec<_> = jobs
        .iter()
        .filter(|job| KINDS_OF_ONE_ACCOUNT.contains(&job.kind.as_str()))
        .map(|job| job.job_id)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = Entity::find().select_only().columns([Column::JobId, Column::Args]);
    let rows: Vec<(JobId, Json)> = found.filter(Column::JobId.is_in(ids)).into_tuple().all(conn).await?;
    Ok(rows.into_iter().collect())
}

/// The child with this place in the order of ids; `None`: the guild's job has no such child.
pub async fn child(conn: &impl Conn, guild: GuildId, parent: JobId, place: u64) -> Result<Option<Model>> {
    let children = Entity::find().filter(Column::ParentId.eq(parent)).filter(Column::GuildId.eq(guild));
    children.order_by_asc(Column::JobId).offset(place).limit(1).one(conn).await
}

/// Excludes chunks and the columns that may be large.
fn slim() -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns(Column::iter().filter(|column| !matches!(column, Column::Args | Column::Errors)))
        .expr_as(Expr::value(Json::Object(serde_json::Map::new())), "args")
        .expr_as(Expr::value(Option::<Json>::None), "errors")
        .filter(Column::ParentId.is_null())
}

/// The backlog of a class: the number of available and of held jobs, and since when the oldest available job waits. Jobs of a
/// paused guild are not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub available: i64,
    pub held: i64,
    pub oldest: Option<Timestamp>,
}

pub async fn backlog(conn: &impl Conn, class: Class, now: Timestamp) -> Result<Backlog> {
    let row: Option<(i64, Option<Timestamp>)> = Entity::find()
        .select_only()
        .column_as(Column::JobId.count(), "available")
        .column_as(Column::RunAt.min(), "oldest")
        .filter(Column::Class.eq(class))
        .filter(State::Queued.is())
        .filter(Expr::col(Column::RunAt).lte(time::now(conn, now)))
        .filter(job_pause::covers_guild((Entity, Column::GuildId)).not())
        .into_tuple()
        .one(conn)
        .await?;
    let held = Entity::find().filter(Column::Class.eq(class)).filter(State::Held.is()).count(conn).await?;
    let (available, oldest) = row.unwrap_or((0, None));
    Ok(Backlog { available, held: i64::try_from(held).unwrap_or(i64::MAX), oldest })
}

/// The smallest id of this time or later.
pub(super) fn first_id_at(time: Timestamp) -> JobId {
    let millis = u128::try_from(time.timestamp_millis()).unwrap_or(0);
    JobId(Uuid::from_u128(millis << 80))
}

/// The number of running jobs of a class.
pub async fn count_running(conn: &impl Conn, class: Class) -> Result<u64> {
    Entity::find().filter(Column::Class.eq(class)).filter(State::Running.is()).count(conn).await
}

/// The number of succeeded jobs of a kind.
pub async fn count_succeeded(conn: &impl Conn, kind: &str) -> Result<u64> {
    Entity::find().filter(Column::Kind.eq(kind)).filter(Column::State.eq(State::Succeeded)).count(conn).await
}
