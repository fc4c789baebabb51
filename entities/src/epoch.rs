//! The epoch of the database: a number that a restore changes, so that what a client keeps of the state before is not taken
//! for a part of the state after.
//!
//! Postgres tells by itself: a restored table lies in another database or file, and a server that was restored, promoted or
//! restarted has another start. On SQLite `serve`, which alone may use the file, begins an epoch at each start.

use sea_orm::DatabaseBackend;
use uuid::Uuid;

use crate::{Conn, Result};

/// Below this.
pub(crate) const EPOCHS: i64 = 1 << 20;

/// An expression with the present epoch.
pub(crate) fn expression(backend: DatabaseBackend) -> String {
    match backend {
        DatabaseBackend::Postgres => format!(
            "hashtextextended(extract(epoch FROM pg_postmaster_start_time())::text || ' ' || \
             (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || \
             pg_relation_filenode('moderation_revision'), 0) & {}",
            EPOCHS - 1
        ),
        _ => "(SELECT user_version FROM pragma_user_version)".to_owned(),
    }
}

/// SQLite: begins another epoch.
pub async fn begin(conn: &impl Conn) -> Result<()> {
    let backend = conn.get_database_backend();
    if backend == DatabaseBackend::Sqlite {
        // Also of two starts within one millisecond.
        let epoch = Uuid::now_v7().as_u64_pair().1 % EPOCHS.unsigned_abs();
        let begin = format!("PRAGMA user_version = {epoch}");
        conn.execute_unprepared(&begin).await?;
    }
    Ok(())
}
