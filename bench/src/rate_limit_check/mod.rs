//! Checks that the platforms' rate limits are kept: bulk syncs at the real limits and several response times, the part
//! of the rate they use and whether they exceed it; then the requests after refusals, pauses and failures.

mod faults;
mod pace;

use testkit::{Mode, Setup};

use crate::figures::Figures;

/// Check that the chat platform's limits are kept and used, as the simulator sees it
///
/// Bulk syncs run at several latencies, alone and beside single syncs; then after refusals, pauses and failures. Exits
/// with 1 if a target is missed.
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
    /// Check only the requests after refusals, pauses and failures
    #[arg(long)]
    faults_only: bool,
}

impl Arguments {
    fn setup(&self, sizes: &[usize], latency_ms: u32) -> Setup {
        let setup = Setup::new(Mode::embedded_if(self.embedded)).sizes(sizes).latency_ms(latency_ms);
        Setup { jitter_ms: self.jitter_ms, ..setup.processes(self.processes) }.paced("fast")
    }
}

/// True if every target was met.
pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    if !arguments.faults_only {
        for latency_ms in &arguments.latency_ms {
            pace::measure(arguments, *latency_ms, &mut figures).await;
        }
    }
    faults::measure(arguments, &mut figures).await;
    figures.conclude()
}
