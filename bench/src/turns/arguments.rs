//! The arguments of `bench turns`, and its deployment.

use std::time::Duration;

use testkit::{JobRow, Mode, Setup};

/// Timeout of a bulk.
pub(super) const LONG: Duration = Duration::from_secs(1_200);

/// Measure fairness between guilds at the chat platform's real rate
///
/// Single syncs and small bulk syncs run beside a very large one, then many guilds sync at once; estimated times are
/// compared with the real ones. Exits with 1 if a target is missed.
///
/// Uses the servers of deploy/services and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Measure one `serve` process on SQLite instead of processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 2)]
    pub processes: usize,
    /// Members of the very large guild, whose sync is cancelled at the end
    #[arg(long, default_value_t = 100_000)]
    pub members: usize,
    /// Number of single syncs beside it
    #[arg(long, default_value_t = 240)]
    pub singles: usize,
    /// Time between two single syncs, milliseconds
    #[arg(long, default_value_t = 300)]
    pub each_ms: u64,
    /// Latency of the simulated platforms, milliseconds
    #[arg(long, default_value_t = 50)]
    pub latency_ms: u32,
    /// Random additional latency of up to this much each way, milliseconds
    #[arg(long, default_value_t = 10)]
    pub jitter_ms: u32,
    /// Number of guilds that sync at once
    #[arg(long, default_value_t = 20)]
    pub guilds: usize,
    /// Members of each of them
    #[arg(long, default_value_t = 100)]
    pub share: usize,
    /// Apply all limits of the real platforms; the very large guild is then measured while it plans
    #[arg(long)]
    pub all_limits: bool,
}

impl Arguments {
    pub(crate) fn setup(&self, sizes: &[usize]) -> Setup {
        let limits = if self.all_limits { "discord" } else { "fast" };
        let setup = Setup::new(Mode::embedded_if(self.embedded)).sizes(sizes).latency_ms(self.latency_ms);
        Setup { jitter_ms: self.jitter_ms, ..setup.processes(self.processes) }.paced(limits)
    }
}

/// From commit to end.
pub(crate) fn seconds(row: &JobRow) -> f64 {
    let ended = row.finished_at.unwrap_or(row.created_at);
    (ended - row.created_at).to_std().unwrap_or_default().as_secs_f64()
}
