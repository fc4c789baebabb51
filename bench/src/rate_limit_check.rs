//! Checks that the platforms' rate limits are kept: bulk syncs at the real limits and several latencies, the part of the
//! rate they use and whether any second exceeds it. The end-to-end tests check refusals, pauses and failures.

use std::time::Duration;

use serde_json::Value;
use testkit::{Deployment, Mode, Setup};

use crate::figures::{CHAT_RATE, Figures, PlatformStats, float};
use crate::turns::Singles;

/// Permits that bulk leaves free while interactive calls are active.
const LEFT_FREE: f64 = 2.0;
const LONG: Duration = Duration::from_secs(900);

/// Indexes of the guilds in the fixture: one alone, two at once beside the single syncs of the others.
const ALONE: usize = 0;
const TOGETHER: [usize; 2] = [1, 2];
const SINGLES: usize = 3;

/// Check that the chat platform's limits are kept and used, as the simulator sees it
///
/// Bulk syncs run at several latencies, alone and beside single syncs. Exits with 1 if a target is missed.
///
/// Uses the servers of deploy/services and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Measure one `serve` process on SQLite instead of processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 3)]
    processes: usize,
    /// Members to change at each latency
    #[arg(long, default_value_t = 1_500)]
    members: usize,
    /// Latencies of the simulated platforms to measure, milliseconds
    #[arg(long, value_delimiter = ',', default_values_t = [0, 50, 100, 150])]
    latency_ms: Vec<u32>,
    /// Random additional latency of up to this much each way, milliseconds
    #[arg(long, default_value_t = 0)]
    jitter_ms: u32,
}

impl Arguments {
    fn setup(&self, sizes: &[usize], latency_ms: u32) -> Setup {
        let setup = Setup::new(Mode::embedded_if(self.embedded)).sizes(sizes).latency_ms(latency_ms);
        Setup { jitter_ms: self.jitter_ms, ..setup.processes(self.processes) }.paced("fast")
    }
}

pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    for latency_ms in &arguments.latency_ms {
        measure(arguments, *latency_ms, &mut figures).await;
    }
    figures.conclude()
}

async fn measure(arguments: &Arguments, latency_ms: u32, figures: &mut Figures) {
    let mut sizes = vec![arguments.members, arguments.members / 2, arguments.members / 2];
    sizes.extend([40; 8]);
    let deployment = Deployment::start(arguments.setup(&sizes, latency_ms)).await;
    let guilds = &deployment.fixture.guilds;
    let late = arguments.jitter_ms;
    figures.heading(&format!("answers after {latency_ms} ms and up to {late} ms more each way"));
    deployment.simulator.reset_stats().await;
    deployment.sync_all(&guilds[ALONE], LONG).await;
    // A rule that guarantees the limit gets no more: see the pacing's page.
    let held = 1.0 + (f64::from(latency_ms) + f64::from(late)) / 1_000.0;
    let bound = CHAT_RATE / held;
    judge(&deployment, "one guild's bulk", bound, figures).await;

    deployment.simulator.reset_stats().await;
    let mut singles = Singles::new(&deployment, &guilds[SINGLES..], Duration::from_millis(500));
    let mut jobs = Vec::new();
    for index in TOGETHER {
        jobs.push(deployment.begin_sync_all(&guilds[index]).await);
    }
    // About the duration of the bulk at half of the rate.
    let count = arguments.members * 2 / 60;
    let waits = singles.run(count).await;
    for job in jobs {
        deployment.sync_all_ended(&job, LONG).await;
    }
    judge(&deployment, "two guilds' bulk beside single syncs", (CHAT_RATE - LEFT_FREE) / held, figures).await;
    waits.report(figures);
}

async fn judge(deployment: &Deployment, what: &str, bound: f64, figures: &mut Figures) {
    let stats = PlatformStats::read(deployment).await;
    let used = rate(deployment, &stats).await;
    println!(" {what}");
    figures.at_most("most chat requests in any second", stats.number("max_per_second"), CHAT_RATE);
    let refused = stats.number("rate_limited") / stats.number("chat_requests").max(1.0) * 100.0;
    figures.at_most("answered 429, percent", refused, 0.1);
    figures.report("requests a second while there was work", used);
    // At long response times no rule that guarantees the limit can use nine tenths of the rate.
    let (what, percent) = ("percent of the permitted rate", used / CHAT_RATE * 100.0);
    if bound >= 0.9 * CHAT_RATE {
        figures.at_least(what, percent, 90.0);
    } else {
        figures.report(what, percent);
    }
    figures.at_least("percent of what the limit allows at this latency", used / bound * 100.0, 90.0);
}

/// Chat requests a second, over the whole seconds between the first and the last update of a member.
async fn rate(deployment: &Deployment, stats: &PlatformStats) -> f64 {
    let updates = deployment.simulator.updates().await;
    let (Some(first), Some(last)) = (updates.first(), updates.last()) else { return 0.0 };
    let seconds: Vec<f64> =
        stats.0["chat_by_second"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let second = |ms: u64| usize::try_from(ms / 1_000).unwrap_or(usize::MAX);
    let (from, to) = (second(first.at_ms) + 1, second(last.at_ms).min(seconds.len()));
    let busy = seconds.get(from..to).unwrap_or_default();
    busy.iter().sum::<f64>() / float(busy.len().max(1))
}
