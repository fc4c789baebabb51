//! Bulk syncs of any guild of the deployment, observed in the database, which uses no read quota.

use std::time::Duration;

use serde_json::json;

use crate::client::Api;
use crate::deployment::Deployment;
use crate::fixture::Guild;
use crate::job_rows::JobRow;
use crate::wait::eventually;

impl Deployment {
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

    /// Syncs the whole guild, successfully or not.
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
