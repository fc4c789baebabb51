//! The list of commands, one file each.

mod api;
mod demo;
mod doctor;
mod guilds;
mod jobs;
mod keys;
mod links;
mod migrate;
mod panels;
mod scheduler;
mod schedules;
mod seed;
mod serve;
mod shield;
mod simulate;
mod staff;
mod submissions;
mod sync;
mod worker;

pub(crate) use guilds::new_guild;
use runtime::LogArgs;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// See it work: a simulated community of 500 is synced, then served; needs nothing else
    Demo(demo::Args),
    /// Run everything in one process on one file: for one community on one machine
    Serve(serve::Args),
    /// Run an API process of a distributed deployment
    Api(api::Args),
    /// Run a worker process of a distributed deployment: it does the jobs
    Worker(worker::Args),
    /// Run a scheduler process of a distributed deployment: of several one leads
    Scheduler(scheduler::Args),
    /// Check configuration, servers, platforms and the bot's rights, and say what to do
    Doctor(doctor::Args),
    /// Bring the database schema up to date
    Migrate(migrate::Args),
    /// Add guilds and list them
    #[command(subcommand)]
    Guilds(guilds::Command),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Keys(keys::Command),
    /// Bring in links between chat and game accounts
    #[command(subcommand)]
    Links(links::Command),
    /// Say who is staff, and what staff roles permit
    #[command(subcommand)]
    Staff(staff::Command),
    /// Say who may flag game users for all guilds; flag them and lift flags
    #[command(subcommand)]
    Shield(shield::Command),
    /// Add and list what people may apply for
    #[command(subcommand)]
    Panels(panels::Command),
    /// Add and list what people sent in
    #[command(subcommand)]
    Submissions(submissions::Command),
    /// Bring roles and nicknames of all members of a guild in line
    Sync(sync::Args),
    /// Look at jobs and workers; retry, cancel and pause jobs
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Look at periodic tasks, run one now, pause one
    #[command(subcommand)]
    Schedules(schedules::Command),
    /// Load guilds and Shield flags from a fixture file; what is there already stays as it is
    Seed(seed::Args),
    /// Serve both platforms' wire formats from a fixture file, for tests and trials
    Simulate(simulate::Args),
}

impl Command {
    pub(crate) async fn run(self, log: LogArgs) -> anyhow::Result<()> {
        runtime::init_logging(log.format(), self.default_filter());
        match self {
            Self::Demo(args) => Box::pin(demo::run(args)).await,
            Self::Serve(args) => Box::pin(serve::run(args)).await,
            Self::Api(args) => Box::pin(api::run(args)).await,
            Self::Worker(args) => Box::pin(worker::run(args)).await,
            Self::Scheduler(args) => Box::pin(scheduler::run(args)).await,
            Self::Doctor(args) => Box::pin(doctor::run(args)).await,
            Self::Migrate(args) => Box::pin(migrate::run(args)).await,
            Self::Guilds(command) => Box::pin(guilds::run(command)).await,
            Self::Keys(command) => Box::pin(keys::run(command)).await,
            Self::Links(command) => Box::pin(links::run(command)).await,
            Self::Staff(command) => Box::pin(staff::run(command)).await,
            Self::Shield(command) => Box::pin(shield::run(command)).await,
            Self::Panels(command) => Box::pin(panels::run(command)).await,
            Self::Submissions(command) => Box::pin(submissions::run(command)).await,
            Self::Sync(args) => Box::pin(sync::run(args)).await,
            Self::Jobs(command) => Box::pin(jobs::run(command)).await,
            Self::Schedules(command) => Box::pin(schedules::run(command)).await,
            Self::Seed(args) => Box::pin(seed::run(args)).await,
            Self::Simulate(args) => Box::pin(simulate::run(args)).await,
        }
    }

    /// What is logged without `RUST_LOG`. Commands that end speak for themselves: one line when they fail.
    fn default_filter(&self) -> &'static str {
        match self {
            Self::Serve(_) | Self::Api(_) | Self::Worker(_) | Self::Scheduler(_) => {
                runtime::telemetry::DEFAULT_FILTER
            }
            Self::Demo(_) | Self::Simulate(_) => "warn",
            _ => "off",
        }
    }
}
