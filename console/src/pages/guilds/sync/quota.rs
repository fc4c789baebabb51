//! Who used the hour's runs, and when the next one is possible.

use chrono::TimeDelta;
use entities::bulk_sync::{self, Kind};
use entities::job::listing;

use super::super::actors::Actors;
use super::super::people::Who;
use crate::html::format::When;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The state of a window.
pub(super) struct Window {
    pub(super) remaining: u32,
    pub(super) limit: u32,
    /// The newest use; `None`: not used.
    pub(super) used: Option<Used>,
}

pub(super) struct Used {
    pub(super) job: String,
    /// `None`: by the service.
    pub(super) by: Option<Who>,
    pub(super) at: When,
    /// When all uses are free again.
    pub(super) free: When,
}

impl Window {
    pub(super) fn is_used_up(&self) -> bool {
        self.remaining == 0
    }

    pub(super) async fn read(visit: &GuildVisit, kind: Kind) -> Result<Self, PageError> {
        let standing = bulk_sync::standing(visit.read(), visit.guild.guild_id, kind, visit.now()).await?;
        let free_in = TimeDelta::from_std(standing.reset_after()).unwrap_or_default();
        let job = match standing.job {
            Some(job) => listing::find(visit.read(), visit.guild.guild_id, job).await?,
            None => None,
        };
        let used = match job {
            Some(job) => {
                let actors = Actors::read(visit, job.actor_id.into_iter().collect()).await?;
                Some(Used {
                    job: visit.url(&format!("/jobs/{}", job.job_id)),
                    by: actors.who(visit, job.actor_id.unwrap_or_default()),
                    at: visit.when(job.created_at),
                    free: visit.when(visit.now() + free_in),
                })
            }
            None => None,
        };
        Ok(Self { remaining: standing.remaining(), limit: kind.limit(), used })
    }
}
