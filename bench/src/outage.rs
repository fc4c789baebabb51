//! A minute without the broker under a steady load of waiting callers: their latency before, during and after.

use std::time::Duration;

use crate::figures::{Figures, float, percentile};
use crate::turns::Singles;
use testkit::{Deployment, JobState, Mode, PrivateServer, Servers, Setup};

/// Measure callers' waits while the broker is down
///
/// Single syncs are sent at a steady rate before, during and after an outage of the broker. Exits with 1 if the 99th
/// percentile of the wait rises by more than 2 s, a caller gets a 202, or a job is lost.
///
/// Uses the servers of deploy/services, with a broker of its own, and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Single syncs a second
    #[arg(long, default_value_t = 30)]
    rate: u32,
    /// Duration of the outage, seconds
    #[arg(long, default_value_t = 60)]
    outage: u32,
    /// Duration of the measurement before and after the outage, seconds each
    #[arg(long, default_value_t = 20)]
    around: u32,
    /// Number of worker processes
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Latency of the simulated platforms, milliseconds
    #[arg(long, default_value_t = 20)]
    latency_ms: u32,
}

/// Enough keys that none reaches its quota of syncs.
const GUILDS: usize = 100;
const ENDS_WITHIN: Duration = Duration::from_secs(120);

pub async fn run(arguments: &Arguments) -> bool {
    let broker = PrivateServer::start("rabbitmq", "outage");
    let servers = Servers { amqp: broker.url(), ..Servers::from_env() };
    let calls = (arguments.rate * (arguments.outage + 2 * arguments.around)) as usize;
    let setup = Setup::new(Mode::Distributed)
        .sizes(&vec![calls.div_ceil(GUILDS); GUILDS])
        .latency_ms(arguments.latency_ms);
    let deployment = Deployment::start(Setup { servers: Some(servers), ..setup }).await;
    for _ in 1..arguments.workers {
        deployment.add_worker().await;
    }
    let mut figures = Figures::default();
    measure(arguments, &deployment, &broker, &mut figures).await;
    lost(&deployment, calls, &mut figures).await;
    figures.conclude()
}

async fn measure(
    arguments: &Arguments,
    deployment: &Deployment,
    broker: &PrivateServer,
    figures: &mut Figures,
) {
    let each = Duration::from_secs(1) / arguments.rate;
    let mut singles = Singles::new(deployment, &deployment.fixture.guilds, each);
    let calls = |seconds: u32| (seconds * arguments.rate) as usize;
    let before = singles.run(calls(arguments.around)).await;
    figures.heading("before");
    before.report(figures);
    broker.kill();
    let during = singles.run(calls(arguments.outage)).await;
    figures.heading("without the broker");
    during.report(figures);
    let slower = percentile(&during.answered, 99) - percentile(&before.answered, 99);
    figures.at_most("caller's wait, ms, p99: longer by", slower, 2_000.0);
    figures.at_most("answered 202, still running", float(during.late), 0.0);
    broker.start_again();
    deployment.wait_until_ready().await;
    let after = singles.run(calls(arguments.around)).await;
    figures.heading("after its return");
    after.report(figures);
}

async fn lost(deployment: &Deployment, calls: usize, figures: &mut Figures) {
    let rows = deployment.all_jobs_ended("sync_member", ENDS_WITHIN).await;
    figures.heading("in the end");
    let succeeded = rows.iter().filter(|row| row.state == JobState::Succeeded).count();
    figures.at_most("lost", float(calls.abs_diff(succeeded)), 0.0);
}
