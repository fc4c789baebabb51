//! Whether the platforms' rate limits are kept: bulk syncs at the real limits and several answer times, how much of the
//! rate they use and whether they pass it; then refusals, pauses and failures, and what is sent after each.

mod faults;
mod pace;

use crate::figures::Figures;
use testkit::{Mode, Setup};

/// Whether the chat platform's limits are kept, as the simulator sees it: pace and its use at several answer times,
/// refusals, pauses, failures, and a second sync. Exits with 1 when a target is missed.
///
/// Servers come from deploy/services; the guildhall beside this program is measured.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// One `serve` process on SQLite instead of the processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 3)]
    pub processes: usize,
    /// Members to change at each answer time
    #[arg(long, default_value_t = 1_500)]
    pub members: usize,
    /// Answer times to try, milliseconds
    #[arg(long, value_delimiter = ',', default_values_t = [0, 50, 100, 150])]
    pub latency_ms: Vec<u32>,
    /// Up to this much more, each way
    #[arg(long, default_value_t = 0)]
    pub jitter_ms: u32,
    /// Only the faults
    #[arg(long)]
    pub faults_only: bool,
}

impl Arguments {
    fn setup(&self, sizes: &[usize], latency_ms: u32) -> Setup {
        let mode = if self.embedded { Mode::Embedded } else { Mode::Distributed };
        let setup = Setup::new(mode).sizes(sizes).latency_ms(latency_ms).processes(self.processes);
        Setup { jitter_ms: self.jitter_ms, ..setup }.paced("fast")
    }
}

/// True when every target was met.
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
