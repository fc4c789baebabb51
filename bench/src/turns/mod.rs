//! Fairness between guilds. One guild syncs very many members; beside it others sync single members and small guilds,
//! and twenty guilds sync at once. Everything runs at the real pace of the chat platform, against its limits.

mod arguments;
mod eta;
mod shares;
mod singles;

use std::time::{Duration, Instant};

use crate::figures::{Figures, PlatformStats, mean, percentile};
pub use arguments::Arguments;
use arguments::LONG;
pub(crate) use arguments::seconds;
use eta::Watch;
pub(crate) use singles::Singles;
use testkit::{Deployment, Guild, eventually};

/// Members of the small bulks.
const SMALL: usize = 100;
/// Members of the bulk with checked estimates.
const WATCHED: usize = 1_000;
/// Guilds for single syncs, and the members of each.
const SINGLE_GUILDS: usize = 12;
const SINGLE_MEMBERS: usize = 40;

/// Indexes of the first deployment's guilds in its fixture.
const BIG: usize = 0;
const ALONE: std::ops::Range<usize> = 1..4;
const BESIDE: std::ops::Range<usize> = 4..7;
const WATCHED_ALONE: usize = 7;
const WATCHED_BESIDE: usize = 8;
const SINGLES: usize = 9;

pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    beside_a_big_one(arguments, &mut figures).await;
    shares::measure(arguments, &mut figures).await;
    figures.conclude()
}

async fn beside_a_big_one(arguments: &Arguments, figures: &mut Figures) {
    let small = [SMALL; ALONE.end - ALONE.start + BESIDE.end - BESIDE.start];
    let mut sizes = vec![arguments.members];
    sizes.extend(small);
    sizes.extend([WATCHED, WATCHED]);
    sizes.extend([SINGLE_MEMBERS; SINGLE_GUILDS]);
    let deployment = Deployment::start(arguments.setup(&sizes)).await;
    let guilds = &deployment.fixture.guilds;
    let mut singles = Singles::new(&deployment, &guilds[SINGLES..], Duration::from_millis(arguments.each_ms));

    figures.heading("alone");
    let alone = small_bulks(&deployment, &guilds[ALONE]).await;
    figures.report("bulk of 100 members, seconds", mean(&alone));
    let calm = singles.run(60).await;
    calm.report(figures);
    Watch::begin(&deployment, &guilds[WATCHED_ALONE]).await.judge(figures).await;

    let job = deployment.begin_sync_all(&guilds[BIG]).await;
    let planned = if arguments.all_limits { 0 } else { 100 };
    eventually("the big guild is being synced", LONG, async || {
        let row = deployment.sync_all_row(&job).await;
        let begun = row.progress_total > 0 && deployment.simulator.updates_of(&guilds[BIG]).await >= planned;
        begun.then_some(())
    })
    .await;
    figures.heading(&format!("beside a sync of {} members", arguments.members));
    deployment.simulator.reset_stats().await;
    let waits = singles.run(arguments.singles).await;
    waits.check(200, 500.0, figures);
    let beside = small_bulks(&deployment, &guilds[BESIDE]).await;
    figures.report("bulk of 100 members, seconds", mean(&beside));
    let ratio = percentile(&beside, 50) / percentile(&alone, 50);
    figures.at_most("the same, times as long as alone", ratio, 2.2);
    Watch::begin(&deployment, &guilds[WATCHED_BESIDE]).await.judge(figures).await;
    PlatformStats::read(&deployment).await.check_limits(figures);
    cancel(&deployment, &guilds[BIG], &job, figures).await;
}

/// One after the other, each from the call's commit to its end, in seconds.
async fn small_bulks(deployment: &Deployment, guilds: &[Guild]) -> Vec<f64> {
    let mut took = Vec::new();
    for guild in guilds {
        let row = deployment.sync_all(guild, LONG).await;
        assert_eq!(deployment.simulator.wrong(guild).await, 0, "{row:?}");
        took.push(seconds(&row));
    }
    took
}

async fn cancel(deployment: &Deployment, guild: &Guild, job: &str, figures: &mut Figures) {
    let asked = Instant::now();
    deployment.api_of(guild).delete(&format!("/jobs/{job}")).await.ok();
    deployment.sync_all_ended(job, LONG).await;
    figures.report("the big one ended after its cancel, seconds", asked.elapsed().as_secs_f64());
}
