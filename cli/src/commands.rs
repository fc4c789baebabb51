//! The list of commands, one file each, and their dispatch.

mod api;
mod audit;
mod backup;
mod chat;
mod completions;
mod console;
mod demo;
mod doctor;
mod erase;
mod export;
mod games;
mod gateway;
mod guilds;
mod healthcheck;
mod import;
mod jobs;
mod keys;
mod links;
mod man;
mod migrate;
mod panels;
mod restore;
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

use runtime::{LogArgs, OtlpArgs};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Try Guildhall: sync a simulated community of 500, then serve it; needs no other program
    Demo(demo::Args),
    /// Run everything in one process on one file: for one community on one machine
    Serve(serve::Args),
    /// Run an API process of a distributed deployment
    Api(api::Args),
    /// Run a worker process of a distributed deployment: it runs the jobs
    Worker(worker::Args),
    /// Run a scheduler process of a distributed deployment: one of several leads
    Scheduler(scheduler::Args),
    /// Run a gateway process of a distributed deployment: it reads the events of the chat platform
    Gateway(gateway::Args),
    /// Check configuration, servers, platforms and the bot's permissions, and say what to fix
    Doctor(doctor::Args),
    /// Ask the process on this machine whether it is ready
    Healthcheck(healthcheck::Args),
    /// Bring the database schema up to date
    Migrate(migrate::Args),
    /// Write the whole database to a file, while the processes run
    Backup(backup::Args),
    /// Restore the database from a backup, while no process runs
    Restore(restore::Args),
    /// Write a guild with all that belongs to it to a file, to keep it or to move it to another instance
    Export(export::Args),
    /// Import a guild from a file that `export` wrote
    Import(import::Args),
    /// Erase an account from all guilds, after it has listed what that changes
    Erase(erase::Args),
    /// Prove that the audit log is as it was written
    #[command(subcommand)]
    Audit(audit::Command),
    /// Add, list and remove guilds
    #[command(subcommand)]
    Guilds(guilds::Command),
    /// Create, list, rotate and revoke API keys
    #[command(subcommand)]
    Keys(keys::Command),
    /// List keys of games, and say whose codes prove accounts for all guilds
    #[command(subcommand)]
    Games(games::Command),
    /// Import, list and remove links between chat and game accounts
    #[command(subcommand)]
    Links(links::Command),
    /// List, set and remove staff members and staff roles
    #[command(subcommand)]
    Staff(staff::Command),
    /// Flag game users for all guilds, lift flags, and say which guilds may flag
    #[command(subcommand)]
    Shield(shield::Command),
    /// Add and list application panels
    #[command(subcommand)]
    Panels(panels::Command),
    /// Add and list application submissions
    #[command(subcommand)]
    Submissions(submissions::Command),
    /// Sync roles and nicknames of all members of a guild
    Sync(sync::Args),
    /// Register the commands of the chat platform, such as /link
    #[command(subcommand)]
    Chat(chat::Command),
    /// Print links that sign in to the console
    #[command(subcommand)]
    Console(console::Command),
    /// List and show jobs and workers; retry, cancel and pause jobs
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// List, run and pause periodic tasks
    #[command(subcommand)]
    Schedules(schedules::Command),
    /// Load guilds and Shield flags from a fixture file; existing rows stay as they are
    Seed(seed::Args),
    /// Simulate both platforms from a fixture file, for tests and trials
    Simulate(simulate::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the manual page, or write those of all commands
    Man(man::Args),
}

impl Command {
    /// `tree` makes the whole command line, for the commands that describe it.
    pub(crate) async fn run(self, log: LogArgs, tree: fn() -> clap::Command) -> anyhow::Result<()> {
        let traced = match self.collector() {
            Some((role, args)) => args.checked()?.map(|collector| (role, collector)),
            None => None,
        };
        runtime::init_logging(log.format(), self.default_filter(), traced)?;
        match self {
            Self::Demo(args) => Box::pin(demo::run(args)).await,
            Self::Serve(args) => Box::pin(serve::run(args)).await,
            Self::Api(args) => Box::pin(api::run(args)).await,
            Self::Worker(args) => Box::pin(worker::run(args)).await,
            Self::Scheduler(args) => Box::pin(scheduler::run(args)).await,
            Self::Gateway(args) => Box::pin(gateway::run(args)).await,
            Self::Doctor(args) => Box::pin(doctor::run(args)).await,
            Self::Healthcheck(args) => Box::pin(healthcheck::run(args)).await,
            Self::Migrate(args) => Box::pin(migrate::run(args)).await,
            Self::Backup(args) => Box::pin(backup::run(args)).await,
            Self::Restore(args) => Box::pin(restore::run(args)).await,
            Self::Export(args) => Box::pin(export::run(args)).await,
            Self::Import(args) => Box::pin(import::run(args)).await,
            Self::Erase(args) => Box::pin(erase::run(args)).await,
            Self::Audit(command) => Box::pin(audit::run(command)).await,
            Self::Guilds(command) => Box::pin(guilds::run(command)).await,
            Self::Keys(command) => Box::pin(keys::run(command)).await,
            Self::Games(command) => Box::pin(games::run(command)).await,
            Self::Links(command) => Box::pin(links::run(command)).await,
            Self::Staff(command) => Box::pin(staff::run(command)).await,
            Self::Shield(command) => Box::pin(shield::run(command)).await,
            Self::Panels(command) => Box::pin(panels::run(command)).await,
            Self::Submissions(command) => Box::pin(submissions::run(command)).await,
            Self::Chat(command) => Box::pin(chat::run(command)).await,
            Self::Console(command) => Box::pin(console::run(command)).await,
            Self::Sync(args) => Box::pin(sync::run(args)).await,
            Self::Jobs(command) => Box::pin(jobs::run(command)).await,
            Self::Schedules(command) => Box::pin(schedules::run(command)).await,
            Self::Seed(args) => Box::pin(seed::run(args)).await,
            Self::Simulate(args) => Box::pin(simulate::run(args)).await,
            Self::Completions(args) => completions::run(args, tree()),
            Self::Man(args) => man::run(args, tree()),
        }
    }

    /// The setting of processes, and their role.
    fn collector(&self) -> Option<(&'static str, &OtlpArgs)> {
        match self {
            Self::Serve(args) => Some(("serve", &args.otlp)),
            Self::Api(args) => Some(("api", &args.otlp)),
            Self::Worker(args) => Some(("worker", &args.background.otlp)),
            Self::Scheduler(args) => Some(("scheduler", &args.background.otlp)),
            Self::Gateway(args) => Some(("gateway", &args.background.otlp)),
            _ => None,
        }
    }

    /// What is logged without `RUST_LOG`. Commands that end log nothing: they print their result or error.
    fn default_filter(&self) -> &'static str {
        match self {
            Self::Serve(_) | Self::Api(_) | Self::Worker(_) | Self::Scheduler(_) | Self::Gateway(_) => {
                runtime::telemetry::DEFAULT_FILTER
            }
            Self::Demo(_) | Self::Simulate(_) => "warn",
            _ => "off",
        }
    }
}
