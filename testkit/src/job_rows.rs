//! Jobs of any guild of a deployment, observed in the database beside the processes, which uses no read quota.

use std::time::Duration;

use entities::GuildId;
use entities::job::{Column, Entity};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;

use crate::client::Api;
use crate::deployment::Deployment;
use crate::fixture::Guild;
use crate::wait::eventually;

/// A job's row, in the product's type.
pub use entities::job::{Class as JobClass, Model as JobRow, State as JobState};

impl Deployment {
    /// All jobs of a kind, oldest first; in a shared deployment those of the first guild.
    pub async fn job_rows(&self, kind: &str) -> Vec<JobRow> {
        let connection = self.connect().await;
        let mut jobs = Entity::find().filter(Column::Kind.eq(kind)).order_by_asc(Column::JobId);
        if self.shared.is_some() {
            let guild: GuildId = self.guild().id.parse().unwrap();
            jobs = jobs.filter(Column::GuildId.eq(guild));
        }
        let rows = jobs.all(&connection).await.unwrap();
        connection.close().await.unwrap();
        rows
    }

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

    /// The first API process, with the guild's key of all scopes.
    pub fn api_of(&self, guild: &Guild) -> Api {
        self.api().key(&guild.admin_key)
    }

    /// Requests a sync of the whole guild; returns its job.
    pub async fn begin_sync_all(&self, guild: &Guild) -> String {
        let data =
            self.api_of(guild).post("/interactions/sync/all", json!({ "guild_id": guild.id })).await.ok();
        data["job_id"].as_str().unwrap().to_owned()
    }

    pub async fn sync_all(&self, guild: &Guild, within: Duration) -> JobRow {
        let job = self.begin_sync_all(guild).await;
        self.sync_all_ended(&job, within).await
    }

    pub async fn sync_all_row(&self, job: &str) -> JobRow {
        let rows = self.job_rows("sync_all").await;
        let found = rows.into_iter().find(|row| row.job_id.to_string() == job);
        found.unwrap_or_else(|| panic!("no job {job}"))
    }

    /// Waits for the end of a bulk sync, successful or not.
    pub async fn sync_all_ended(&self, job: &str, within: Duration) -> JobRow {
        eventually("the bulk sync ends", within, async || {
            Some(self.sync_all_row(job).await).filter(|row| !row.state.is_open())
        })
        .await
    }
}
