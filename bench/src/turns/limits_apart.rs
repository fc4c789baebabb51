//! A guild in which half of the changes are single roles and half are nicknames, at all of the platform's limits: the
//! two buckets are used side by side.

use std::time::Instant;

use super::arguments::{Arguments, LONG};
use crate::figures::{Figures, Target, float};
use testkit::Deployment;

/// The platform's limit for one guild in one bucket, in calls a second: ten in ten seconds.
const ONE_BUCKET: f64 = 1.0;

pub(super) async fn measure(arguments: &Arguments, members: usize, figures: &mut Figures) {
    let setup = arguments.limited(&[members], "discord").renamed_half();
    let deployment = Deployment::start(setup).await;
    let guild = &deployment.fixture.guilds[0];
    deployment.simulator.reset_stats().await;
    let begun = Instant::now();
    let job = deployment.begin_sync_all(guild).await;
    let row = deployment.sync_all_ended(&job, LONG).await;
    let took = begun.elapsed().as_secs_f64();
    figures.part(&format!("{} single roles and {} nicknames of one guild", members / 2, members / 2));
    assert_eq!((deployment.simulator.wrong(guild).await, row.progress_failed), (0, 0), "{row:?}");
    figures.tell("seconds", took);
    let one = float(members) / ONE_BUCKET;
    figures.check("part of the time that one bucket would take", took / one, Target::AtMost(0.6));
    super::limits_kept::measure(&deployment, figures).await;
    deployment.close().await;
}
