//! The error of a bulk sync that exceeds the guild's quota, for `sync` and `jobs retry`.

use chrono::TimeDelta;
use entities::bulk_sync::{Kind, Standing};

use crate::duration;

/// Names the quota, the job that used it, and when the next sync is possible.
pub(crate) fn quota_error(standing: &Standing) -> anyhow::Error {
    let quota = match standing.kind {
        Kind::Run => "one sync of all members",
        Kind::DryRun => "six dry runs",
    };
    let by = standing.job.map_or_else(String::new, |job| format!(", used by job {job}"));
    let left = TimeDelta::from_std(standing.reset_after()).unwrap_or_default();
    anyhow::anyhow!(
        "a guild has {quota} an hour{by}; the next is possible in {}",
        duration::approximate(left)
    )
}
