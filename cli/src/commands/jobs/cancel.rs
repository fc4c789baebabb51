//! `guildhall jobs cancel`: ends a job, or asks its worker to stop.

use anyhow::{Context as _, bail};
use entities::job::State;
use queue::Queue;

use super::job::{JobArgs, require};
use crate::operator::operator;
use crate::output;

pub(super) async fn run(args: JobArgs) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let (job, now) = (args.job, unit.now());
    let before = require(unit.tx(), job).await?;
    if !before.is_cancellable() {
        bail!("job {job} is already {}; nothing was changed", before.status(now).name());
    }
    let queue = Queue::embedded(unit.context());
    let (after, event) =
        operator().cancel(&queue, unit.tx(), job, now).await?.context("the job no longer exists")?;
    unit.announce([event]);
    unit.commit().await?;
    let whole = match before.parent_id {
        Some(whole) => format!("job {whole}, of which {job} is a chunk,"),
        None => format!("job {job}"),
    };
    output::print(&match after.state {
        State::Cancelled => format!("{whole} is cancelled"),
        _ => format!("{whole} was asked to stop; its workers are notified within a second"),
    })
}
