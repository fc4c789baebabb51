//! The change log: the events of committed changes, which every process reads to keep its caches exact.
//!
//! A reader starts each read at the horizon that the last one returned, and may read a row again. On Postgres the
//! position of a row is the number of its transaction, and the horizon is the lowest number still running: what a
//! snapshot did not show has a higher one. On SQLite positions follow the order of commits.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Query;
use sea_orm::{ActiveValue, DatabaseBackend, FromQueryResult, Order, Statement};

use crate::by_id::no_relations;
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_log")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Uuid,
    pub position: i64,
    pub event: String,
    pub created_at: Timestamp,
}

no_relations!();

/// Writes events, in the transaction of their change.
pub async fn write(
    conn: &impl Conn,
    events: impl IntoIterator<Item = (Uuid, String)>,
    now: Timestamp,
) -> Result<()> {
    let rows = events.into_iter().map(|(id, event)| ActiveModel {
        event_id: ActiveValue::Set(id),
        position: ActiveValue::NotSet,
        event: ActiveValue::Set(event),
        created_at: ActiveValue::Set(now),
    });
    Entity::insert_many(rows).exec_without_returning(conn).await.map(drop)
}

/// The result of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where the next read starts.
    pub horizon: i64,
    pub events: Vec<(Uuid, String)>,
    /// Further events may have been left out.
    pub truncated: bool,
}

const ON_POSTGRES: &str = "\
    SELECT current.horizon, log.event_id, log.event \
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon) AS current \
    LEFT JOIN change_log AS log ON log.position >= $1 \
    ORDER BY log.position LIMIT $2";

const ON_SQLITE: &str = "\
    SELECT current.horizon, log.event_id, log.event \
    FROM (SELECT coalesce(max(seq), 0) + 1 AS horizon FROM sqlite_sequence WHERE name = 'change_log') AS current \
    LEFT JOIN change_log AS log ON log.position >= $1 \
    ORDER BY log.position LIMIT $2";

/// The events from a horizon on, at most `limit`. Without a horizon only the current one.
pub async fn read(conn: &impl Conn, horizon: Option<i64>, limit: u64) -> Result<Page> {
    #[derive(FromQueryResult)]
    struct Row {
        horizon: i64,
        event_id: Option<Uuid>,
        event: Option<String>,
    }
    let backend = conn.get_database_backend();
    let sql = if backend == DatabaseBackend::Postgres { ON_POSTGRES } else { ON_SQLITE };
    let values = [horizon.unwrap_or(i64::MAX).into(), limit.into()];
    let rows = Row::find_by_statement(Statement::from_sql_and_values(backend, sql, values)).all(conn).await?;
    let next = rows.first().map_or(0, |row| row.horizon);
    let truncated = rows.len() as u64 == limit;
    let events = rows.into_iter().filter_map(|row| row.event_id.zip(row.event)).collect();
    Ok(Page { horizon: next, truncated, events })
}

/// Deletes up to `limit` events written before `before`, and returns their number.
pub async fn prune(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    let old = Query::select()
        .column(Column::EventId)
        .from(Entity)
        .and_where(Column::CreatedAt.lt(before))
        .order_by(Column::Position, Order::Asc)
        .limit(limit)
        .to_owned();
    // Of the rows of one transaction all are old.
    let deleted = Entity::delete_many().filter(Column::EventId.in_subquery(old)).exec(conn).await?;
    Ok(deleted.rows_affected)
}
