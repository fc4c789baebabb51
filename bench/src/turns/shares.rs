//! Many guilds at once: does each get the same share, in every interval and at the end?

use std::collections::BTreeMap;

use super::arguments::{Arguments, LONG, seconds};
use crate::figures::{Figures, PlatformStats, float, jain, mean};
use testkit::{Deployment, Update};

/// Intervals in which the guilds' shares are compared.
const INTERVAL_MS: u64 = 4_000;

pub(super) async fn measure(arguments: &Arguments, figures: &mut Figures) {
    let deployment = Deployment::start(arguments.setup(&vec![arguments.share; arguments.guilds])).await;
    deployment.simulator.reset_stats().await;
    let mut jobs = Vec::new();
    for guild in &deployment.fixture.guilds {
        jobs.push(deployment.begin_sync_all(guild).await);
    }
    let mut took = Vec::new();
    for job in &jobs {
        took.push(seconds(&deployment.sync_all_ended(job, LONG).await));
    }
    let updates = deployment.simulator.updates().await;
    figures.heading(&format!("{} guilds at once, {} members each", arguments.guilds, arguments.share));
    assert_eq!(updates.len(), arguments.guilds * arguments.share);
    let indices = intervals(&updates, arguments.guilds);
    figures.report("intervals of 4 s in which all had work", float(indices.len()));
    figures.report("Jain's index over members done in an interval, mean", mean(&indices));
    let worst = indices.iter().copied().fold(1.0, f64::min);
    figures.at_least("Jain's index over members done in an interval, worst", worst, 0.95);
    figures.at_least("Jain's index over the times they took", jain(&took), 0.95);
    figures.report("seconds they took, mean", mean(&took));
    PlatformStats::read(&deployment).await.check_limits(figures);
}

/// Jain's index over updates by guild, for each whole interval between the last guild's first and the first one's last.
fn intervals(updates: &[Update], guilds: usize) -> Vec<f64> {
    let mut spans: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for update in updates {
        let span = spans.entry(&update.guild).or_insert((update.at_ms, update.at_ms));
        span.1 = update.at_ms;
    }
    assert_eq!(spans.len(), guilds);
    let from = spans.values().map(|(first, _)| *first).max().unwrap_or(0);
    let until = spans.values().map(|(_, last)| *last).min().unwrap_or(0);
    let count = until.saturating_sub(from) / INTERVAL_MS;
    let index = |interval: u64| {
        let within = from + interval * INTERVAL_MS..from + (interval + 1) * INTERVAL_MS;
        let of =
            |guild: &&str| updates.iter().filter(|u| u.guild == *guild && within.contains(&u.at_ms)).count();
        jain(&spans.keys().map(|guild| float(of(guild))).collect::<Vec<_>>())
    };
    (0..count).map(index).collect()
}
