//! What `bench turns` measures, and the deployment it needs.

use std::time::Duration;

use testkit::{JobRow, Mode, Setup};

/// Timeout of a bulk.
pub(super) const LONG: Duration = Duration::from_secs(1_200);

/// Turns between guilds, at the chat platform's real pace: single syncs and small bulks beside one that is endless,
/// twenty bulks at once, and whether the estimated times were right. Exits with 1 when a target is missed.
///
/// Servers come from deploy/services; the guildhall beside this program is measured.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// One `serve` process on SQLite instead of the processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 2)]
    pub processes: usize,
    /// Members of the guild whose sync does not end
    #[arg(long, default_value_t = 100_000)]
    pub members: usize,
    /// Single syncs beside it
    #[arg(long, default_value_t = 240)]
    pub singles: usize,
    /// Between two of them, milliseconds
    #[arg(long, default_value_t = 300)]
    pub each_ms: u64,
    /// How late the platforms answer, milliseconds
    #[arg(long, default_value_t = 50)]
    pub latency_ms: u32,
    /// And up to how much later, each way
    #[arg(long, default_value_t = 10)]
    pub jitter_ms: u32,
    /// Guilds that sync at once
    #[arg(long, default_value_t = 20)]
    pub guilds: usize,
    /// Members of each of them
    #[arg(long, default_value_t = 100)]
    pub share: usize,
    /// Keep the buckets and the game platform's limit too: the big guild is then measured while it plans
    #[arg(long)]
    pub all_limits: bool,
    /// Only this: the guilds' bulk beside 60 interactive calls a second, for so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub interactive: Option<u64>,
    /// Only this: a guild of so many members, half of whom lack a role and half a nickname, at all of the platform's
    /// limits
    #[arg(long, value_name = "MEMBERS")]
    pub both_buckets: Option<usize>,
}

impl Arguments {
    pub(crate) fn setup(&self, sizes: &[usize]) -> Setup {
        self.limited(sizes, if self.all_limits { "discord" } else { "fast" })
    }

    pub(super) fn limited(&self, sizes: &[usize], limits: &'static str) -> Setup {
        let mode = if self.embedded { Mode::Embedded } else { Mode::Distributed };
        let setup = Setup::new(mode).sizes(sizes).latency_ms(self.latency_ms).processes(self.processes);
        Setup { jitter_ms: self.jitter_ms, ..setup }.paced(limits)
    }
}

/// From commit to end.
pub(crate) fn seconds(row: &JobRow) -> f64 {
    let ended = row.finished_at.unwrap_or(row.created_at);
    (ended - row.created_at).to_std().unwrap_or_default().as_secs_f64()
}
