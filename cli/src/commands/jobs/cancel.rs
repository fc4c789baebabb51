//! `guildhall jobs cancel`: ends a job, or asks its worker to stop.

use anyhow::bail;
use entities::job::State;

use super::job::{JobArgs, audit, require};
use crate::output;

pub(super) async fn run(args: JobArgs) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let (job, now) = (args.job, unit.now());
    let before = require(unit.tx(), job).await?;
    if !before.state.is_open() {
        bail!("job {job} is already {}; nothing was changed", before.status(now).name());
    }
    let after = unit.cancel(job).await?;
    audit(unit.tx(), &before, "jobs.cancel", now).await?;
    let when = if unit.notifies() { "at once" } else { "with the next heartbeat of its process, within 3 s" };
    unit.commit().await?;
    output::print(&match after.state {
        State::Cancelled => format!("job {job} is cancelled"),
        _ => format!("job {job} was asked to stop; its worker is notified {when}"),
    })
}
