//! The size of a run, and its faults.

/// Make calls that each have one effect while processes, the broker and Redis fail; count lost and doubled effects
///
/// A call is finished if it was accepted (2xx), its job succeeded and its effect exists; lost if it was accepted and one
/// of these is missing. Doubled: a member who needed one change was changed twice, a ticket has two channels, a call has
/// two jobs or audit entries. Repeated: updates without a change, which are allowed. Effects are counted on the simulated
/// platform. Exits with 1 if a call was lost, doubled or refused, or if a process ended without being killed.
///
/// Uses the servers of deploy/services, with a broker and a Redis of its own, and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Plan {
    /// Number of calls, each for another member or submission
    #[arg(long, default_value_t = 100_000)]
    pub jobs: usize,
    /// SIGKILLs of single processes; for every ten of them one more kills all processes of a role
    #[arg(long, default_value_t = 60)]
    pub kills: usize,
    /// SIGKILLs of the broker; none with --embedded
    #[arg(long, default_value_t = 6)]
    pub broker_kills: usize,
    /// Stalls of Redis, two seconds each; none with --embedded
    #[arg(long, default_value_t = 10)]
    pub redis_stalls: usize,
    /// Offset of the first worker's wall clock, seconds; needs Debian's package libfaketime
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub skew_seconds: i64,
    /// Calls under way at a time
    #[arg(long, default_value_t = 96)]
    pub callers: usize,
    /// Seed of the order, times and victims [default: a random one, which is printed]
    #[arg(long, env = "GUILDHALL_SEED")]
    pub seed: Option<u64>,
    /// Test one `serve` process on SQLite instead of processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    /// Number of api processes
    #[arg(long, default_value_t = 2)]
    pub apis: usize,
    /// Number of worker processes
    #[arg(long, default_value_t = 3)]
    pub workers: usize,
    /// Number of scheduler processes
    #[arg(long, default_value_t = 2)]
    pub schedulers: usize,
    /// Percentage of calls that create a ticket, whose channel is an effect that is not idempotent by itself
    #[arg(long, default_value_t = 4)]
    pub tickets: usize,
    /// Percentage of calls that assign a role; the remaining calls sync a single member
    #[arg(long, default_value_t = 6)]
    pub roles: usize,
    /// Number of guilds that the members are spread over; a guild has at most 500 tickets
    #[arg(long, default_value_t = 10)]
    pub guilds: usize,
    /// Latency of the simulated platforms, milliseconds
    #[arg(long, default_value_t = 15)]
    pub latency_ms: u32,
}

impl Plan {
    /// The size for a test in `./test`.
    pub fn small(embedded: bool) -> Self {
        Self {
            jobs: 400,
            kills: 6,
            broker_kills: usize::from(!embedded),
            redis_stalls: usize::from(!embedded),
            skew_seconds: 0,
            callers: 16,
            seed: std::env::var("GUILDHALL_SEED").ok().and_then(|seed| seed.parse().ok()),
            embedded,
            apis: 2,
            workers: 2,
            schedulers: 2,
            tickets: 10,
            roles: 10,
            guilds: 2,
            latency_ms: 20,
        }
    }
}
