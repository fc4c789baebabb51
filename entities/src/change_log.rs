//! The change log: the events of committed changes, which every process reads to keep its caches exact.
//!
//! A reader gets what the horizon of its last read did not include. On Postgres transactions commit in another order than
//! they begin: the position of a row is the number of its transaction, and the horizon is a snapshot, which tells of each
//! number whether it was committed then. On SQLite positions follow the order of commits.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, InsertStatement, Query};
use sea_orm::{ActiveValue, DatabaseBackend, FromQueryResult, Order, Statement};

use crate::by_id::{inserts_of, no_relations};
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

/// The statements that write events, in the transaction of their change.
pub fn inserts(events: impl IntoIterator<Item = (Uuid, String)>, now: Timestamp) -> Vec<InsertStatement> {
    let row = |(id, event)| ActiveModel {
        event_id: ActiveValue::Set(id),
        position: ActiveValue::NotSet,
        event: ActiveValue::Set(event),
        created_at: ActiveValue::Set(now),
    };
    inserts_of::<Entity>(events.into_iter().map(row))
}

/// The result of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where the next read starts.
    pub horizon: String,
    /// Differs when another database answers, or the same one after a restart: it may lack what the horizon includes.
    pub database: String,
    pub events: Vec<(Uuid, String)>,
    /// Further events may have been left out.
    pub truncated: bool,
}

const ON_POSTGRES: &str = "\
    SELECT current.horizon, current.database, log.event_id, log.event \
    FROM (SELECT pg_current_snapshot()::text AS horizon, \
        concat_ws(' ', pg_postmaster_start_time(), pg_relation_filenode('change_log')) AS database) AS current \
    LEFT JOIN change_log AS log ON log.position >= pg_snapshot_xmin($1::text::pg_snapshot)::text::bigint \
        AND NOT pg_visible_in_snapshot(log.position::text::xid8, $1::text::pg_snapshot) \
    ORDER BY log.position, log.event_id LIMIT $2";

const ON_SQLITE: &str = "\
    SELECT current.horizon, '' AS database, log.event_id, log.event \
    FROM (SELECT CAST(coalesce(max(seq), 0) + 1 AS text) AS horizon FROM sqlite_sequence WHERE name = 'change_log') \
        AS current \
    LEFT JOIN change_log AS log ON log.position >= CAST($1 AS integer) \
    ORDER BY log.position LIMIT $2";

/// The events from a horizon on, at most `limit`. Without a horizon only the current one.
pub async fn read(conn: &impl Conn, horizon: Option<&str>, limit: u64) -> Result<Page> {
    #[derive(FromQueryResult)]
    struct Row {
        horizon: String,
        database: String,
        event_id: Option<Uuid>,
        event: Option<String>,
    }
    let backend = conn.get_database_backend();
    let sql = if backend == DatabaseBackend::Postgres { ON_POSTGRES } else { ON_SQLITE };
    let values = [horizon.into(), limit.into()];
    let rows = Row::find_by_statement(Statement::from_sql_and_values(backend, sql, values)).all(conn).await?;
    let next = rows.first().map(|row| (row.horizon.clone(), row.database.clone()));
    let (horizon, database) = next.unwrap_or_default();
    let truncated = rows.len() as u64 == limit;
    let events = rows.into_iter().filter_map(|row| row.event_id.zip(row.event)).collect();
    Ok(Page { horizon, database, events, truncated })
}

/// Deletes up to `limit` events written before `before`, and returns their number.
pub async fn prune(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    let old = Query::select()
        .columns([Column::Position, Column::EventId])
        .from(Entity)
        .and_where(Column::CreatedAt.lt(before))
        .order_by(Column::CreatedAt, Order::Asc)
        .limit(limit)
        .to_owned();
    let key = Expr::tuple([Column::Position.into_expr(), Column::EventId.into_expr()]);
    let deleted = Entity::delete_many().filter(key.in_subquery(old)).exec(conn).await?;
    Ok(deleted.rows_affected)
}
