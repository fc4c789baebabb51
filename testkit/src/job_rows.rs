//! Job rows, read from the database beside the processes.

use std::time::Duration;

use entities::GuildId;
use entities::job::{Column, Entity};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use crate::deployment::Deployment;
use crate::wait::eventually;

/// A job's row, in the product's type.
pub use entities::job::{Class as JobClass, Model as JobRow, State as JobState};

impl Deployment {
    /// All jobs of a kind, oldest first; in a shared deployment those of the first guild.
    pub async fn job_rows(&self, kind: &str) -> Vec<JobRow> {
        let connection = self.connect().await;
        let mut jobs = Entity::find().filter(Column::Kind.eq(kind)).order_by_asc(Column::JobId);
        if self.lease.is_some() {
            let guild: GuildId = self.guild().id.parse().unwrap();
            jobs = jobs.filter(Column::GuildId.eq(guild));
        }
        let rows = jobs.all(&connection).await.unwrap();
        connection.close().await.unwrap();
        rows
    }

    /// Waits until all jobs of a kind have ended.
    pub async fn all_jobs_ended(&self, kind: &str, within: Duration) -> Vec<JobRow> {
        eventually("all jobs have ended", within, async || {
            let rows = self.job_rows(kind).await;
            rows.iter().all(|row| !row.state.is_open()).then_some(rows)
        })
        .await
    }

    /// The only job of a kind.
    pub async fn job_row(&self, kind: &str) -> JobRow {
        let mut rows = self.job_rows(kind).await;
        assert_eq!(rows.len(), 1, "jobs of kind {kind}: {rows:?}");
        rows.remove(0)
    }
}
