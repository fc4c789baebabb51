//! A minute without the broker under a steady load of waiting callers: their latency before, during and after.

use std::time::Duration;

use crate::figures::{Figures, Target, float, percentile};
use crate::turns::{Singles, Waits};
use testkit::{Deployment, JobState, Mode, PrivateServer, Servers, Setup, eventually};

/// A minute without the broker, under a steady load of single syncs whose callers wait. Exits with 1 when a caller
/// waits 2 s longer, is asked to retry, or a job is lost.
///
/// Servers come from deploy/services, the broker is private; the guildhall beside this program is measured.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Single syncs a second
    #[arg(long, default_value_t = 30)]
    pub rate: u32,
    /// Seconds without the broker
    #[arg(long, default_value_t = 60)]
    pub outage: u32,
    /// Seconds before it, and after it
    #[arg(long, default_value_t = 20)]
    pub around: u32,
    #[arg(long, default_value_t = 2)]
    pub workers: usize,
    /// How late the platforms answer, milliseconds
    #[arg(long, default_value_t = 20)]
    pub latency_ms: u32,
}

/// Enough keys that none reaches its quota of syncs.
const GUILDS: usize = 100;
const ENDS_WITHIN: Duration = Duration::from_secs(120);

/// True when every target was met.
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
    deployment.close().await;
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
    told("before", &before, figures);
    broker.kill();
    let during = singles.run(calls(arguments.outage)).await;
    told("without the broker", &during, figures);
    let slower = percentile(during.answered(), 99) - percentile(before.answered(), 99);
    figures.check("the caller's wait, ms, p99: longer by", slower, Target::AtMost(2_000.0));
    figures.check("told to come back (202)", float(during.late()), Target::AtMost(0.0));
    broker.start_again();
    deployment.wait_until_ready().await;
    told("after its return", &singles.run(calls(arguments.around)).await, figures);
}

fn told(part: &str, waits: &Waits, figures: &mut Figures) {
    figures.part(part);
    waits.tell(figures);
    figures.tell("the caller's wait, ms, longest", percentile(waits.answered(), 100));
}

async fn lost(deployment: &Deployment, calls: usize, figures: &mut Figures) {
    let rows = eventually("all jobs have ended", ENDS_WITHIN, async || {
        let rows = deployment.job_rows("sync_member").await;
        rows.iter().all(|row| !row.state.is_open()).then_some(rows)
    })
    .await;
    figures.part("in the end");
    let succeeded = rows.iter().filter(|row| row.state == JobState::Succeeded).count();
    figures.check("lost", float(calls.abs_diff(succeeded)), Target::AtMost(0.0));
}
