//! The size of a run, and its faults.

/// Calls that each have one effect, under random SIGKILLs of processes and broker, a skewed clock and stalls of Redis;
/// exit code 1 if any was lost or doubled
///
/// Finished: accepted (2xx), the job succeeded and the effect is there. Lost: accepted and any of that is not so.
/// Doubled: a second change of a member who needed one, a second channel for a ticket, a second job or audit entry for
/// a call. Repeated: updates that set what was set already (harmless, allowed). Effects are counted on the simulated
/// platform. Servers come from deploy/services, the guildhall beside this program is tried; broker and Redis are
/// private.
#[derive(clap::Args, Clone, Debug)]
pub struct Plan {
    /// Calls, each for another member or submission
    #[arg(long, default_value_t = 100_000)]
    pub jobs: usize,
    /// Kills of single processes; those of all workers, schedulers or apis at once come on top, one for every ten
    #[arg(long, default_value_t = 60)]
    pub kills: usize,
    /// Kills of the broker (none when embedded)
    #[arg(long, default_value_t = 6)]
    pub broker_kills: usize,
    /// Stalls of Redis, each for two seconds (none when embedded)
    #[arg(long, default_value_t = 10)]
    pub redis_stalls: usize,
    /// How far the wall clock of the first worker is off, by libfaketime (Debian's package of that name)
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub skew_seconds: i64,
    /// Calls under way at a time
    #[arg(long, default_value_t = 96)]
    pub callers: usize,
    /// Decides order, times and victims; drawn and printed when absent
    #[arg(long, env = "GUILDHALL_SEED")]
    pub seed: Option<u64>,
    /// One `serve` process on SQLite instead of the processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    #[arg(long, default_value_t = 2)]
    pub apis: usize,
    #[arg(long, default_value_t = 3)]
    pub workers: usize,
    #[arg(long, default_value_t = 2)]
    pub schedulers: usize,
    /// Tickets, in calls of a hundred: their channels are the effects that are not idempotent by themselves
    #[arg(long, default_value_t = 4)]
    pub tickets: usize,
    /// Roles given by hand, in calls of a hundred; the rest are syncs of single members
    #[arg(long, default_value_t = 6)]
    pub roles: usize,
    /// Guilds the members are spread over; one takes 500 tickets at most
    #[arg(long, default_value_t = 10)]
    pub guilds: usize,
    /// How late the platforms answer, milliseconds
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
