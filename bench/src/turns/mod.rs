//! Fairness between guilds. One guild syncs very many members; beside it others sync single members and small guilds,
//! and twenty guilds sync at once. Everything runs at the real pace of the chat platform, against its limits.

mod arguments;
mod eta;
#[expect(clippy::unwrap_used, reason = "a tool that cannot begin says so by panicking")]
mod interactive;
mod limits_apart;
mod limits_kept;
mod shares;
mod singles;

use std::time::Duration;

use crate::figures::{Figures, Target, mean, percentile};
pub use arguments::Arguments;
use arguments::{LONG, seconds};
use eta::Watch;
pub(crate) use singles::{Singles, Waits};
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

/// True if every target was met.
pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    if arguments.interactive.is_some() || arguments.both_buckets.is_some() {
        if let Some(seconds) = arguments.interactive {
            interactive::measure(arguments, Duration::from_secs(seconds), &mut figures).await;
        }
        if let Some(members) = arguments.both_buckets {
            limits_apart::measure(arguments, members, &mut figures).await;
        }
        return figures.conclude();
    }
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

    figures.part("alone");
    let alone = small_bulks(&deployment, &guilds[ALONE]).await;
    figures.tell("bulk of 100 members, seconds", mean(&alone));
    let calm = singles.run(60).await;
    calm.tell(figures);
    Watch::begin(&deployment, &guilds[WATCHED_ALONE]).await.judge(figures).await;

    let job = deployment.begin_sync_all(&guilds[BIG]).await;
    let planned = if arguments.all_limits { 0 } else { 100 };
    eventually("the big guild is at it", LONG, async || {
        let row = deployment.sync_all_row(&job).await;
        let begun = row.progress_total > 0 && deployment.simulator.updates_of(&guilds[BIG]).await >= planned;
        begun.then_some(())
    })
    .await;
    figures.part(&format!("beside a sync of {} members", arguments.members));
    deployment.simulator.reset_stats().await;
    let waits = singles.run(arguments.singles).await;
    waits.judge(figures);
    let beside = small_bulks(&deployment, &guilds[BESIDE]).await;
    figures.tell("bulk of 100 members, seconds", mean(&beside));
    let ratio = percentile(&beside, 50) / percentile(&alone, 50);
    figures.check("the same, times as long as alone", ratio, Target::AtMost(2.2));
    Watch::begin(&deployment, &guilds[WATCHED_BESIDE]).await.judge(figures).await;
    limits_kept::measure(&deployment, figures).await;
    cancel(&deployment, &guilds[BIG], &job, figures).await;
    deployment.close().await;
}

/// One after the other, each from the call's commit to its end, in seconds.
async fn small_bulks(deployment: &Deployment, guilds: &[Guild]) -> Vec<f64> {
    let mut took = Vec::new();
    for guild in guilds {
        let job = deployment.begin_sync_all(guild).await;
        let row = deployment.sync_all_ended(&job, LONG).await;
        assert_eq!(deployment.simulator.wrong(guild).await, 0, "{row:?}");
        took.push(seconds(&row));
    }
    took
}

async fn cancel(deployment: &Deployment, guild: &Guild, job: &str, figures: &mut Figures) {
    let asked = std::time::Instant::now();
    deployment.api_of(guild).delete(&format!("/jobs/{job}")).await.ok();
    deployment.sync_all_ended(job, LONG).await;
    figures.tell("the big one ended after its cancel, seconds", asked.elapsed().as_secs_f64());
}
