//! Jobs for live sockets: those of several guilds at once, with a limit for each guild. Without chunks and
//! large columns: arguments, results and history.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{Iterable, QueryOrder, QuerySelect, QueryTrait};

use super::listing::first_id_at;
use super::model::{Column, Entity, Model};
use crate::{Conn, GuildId, JobId, Result, Timestamp, lists};

/// The newest unfinished jobs of each guild.
pub async fn open(conn: &impl Conn, guilds: &[GuildId], limit: u64) -> Result<Vec<Model>> {
    let keys = guilds.iter().map(|guild| [Value::from(*guild)]).collect();
    let of_guild =
        |[guild]: [SimpleExpr; 1]| newest(guild, limit).filter(Column::FinishedAt.is_null()).into_query();
    lists::of_each(conn, keys, of_guild).await
}

/// The newest jobs of each guild, in any state, that were enqueued at this time or later.
pub async fn enqueued_since(
    conn: &impl Conn,
    guilds: &[GuildId],
    since: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    let keys = guilds.iter().map(|guild| [Value::from(*guild)]).collect();
    let first = first_id_at(since);
    let of_guild =
        |[guild]: [SimpleExpr; 1]| newest(guild, limit).filter(Column::JobId.gte(first)).into_query();
    lists::of_each(conn, keys, of_guild).await
}

/// These jobs, whose guilds the caller knows.
pub async fn of_ids(conn: &impl Conn, jobs: &[JobId]) -> Result<Vec<Model>> {
    slim().filter(lists::any_of(conn, Column::JobId, jobs.iter().copied())).all(conn).await
}

fn newest(guild: SimpleExpr, limit: u64) -> Select<Entity> {
    let own = slim().filter(Column::GuildId.into_expr().eq(guild));
    own.order_by_desc(Column::JobId).limit(limit)
}

fn slim() -> Select<Entity> {
    let large = |column: &Column| matches!(column, Column::Args | Column::Errors | Column::Result);
    Entity::find()
        .select_only()
        .columns(Column::iter().filter(|column| !large(column)))
        .expr_as(Expr::value(Json::Object(serde_json::Map::new())), "args")
        .expr_as(Expr::value(Option::<Json>::None), "errors")
        .expr_as(Expr::value(Option::<Json>::None), "result")
        .filter(Column::ParentId.is_null())
}
