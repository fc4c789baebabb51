//! What `bench rate-limits` measures, and the deployment it needs.

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
    pub(super) fn setup(&self, sizes: &[usize], latency_ms: u32) -> Setup {
        let mode = if self.embedded { Mode::Embedded } else { Mode::Distributed };
        let setup = Setup::new(mode).sizes(sizes).latency_ms(latency_ms).processes(self.processes);
        Setup { jitter_ms: self.jitter_ms, ..setup }.paced("fast")
    }
}
