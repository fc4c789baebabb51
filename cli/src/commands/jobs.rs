//! `guildhall jobs`: list and show jobs, retry, cancel and pause them.

mod cancel;
mod job;
mod list;
mod pause;
mod record;
mod retry;
mod show;
mod workers;

use job::JobArgs;
use list::ListArgs;
use pause::{PauseArgs, ScopeArgs};
use retry::RetryArgs;
use show::ShowArgs;
use workers::WorkersArgs;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List jobs, newest first, below the backlog of each class and the progress of bulk jobs (`--json`: only
    /// the jobs)
    List(ListArgs),
    /// Show all fields of a job, the errors of its attempts, and the members that failed
    Show(ShowArgs),
    /// Run failed and dead jobs again with all their attempts; a job that waits for its next attempt becomes due now
    Retry(RetryArgs),
    /// Cancel a job: a job that has not started ends now, a running one is asked to stop, a dead one is given up
    Cancel(JobArgs),
    /// List worker processes: the jobs each runs, and the time of its last heartbeat
    Workers(WorkersArgs),
    /// Stop starting jobs of a class or a guild; running jobs continue
    Pause(PauseArgs),
    /// Start jobs of a paused class or guild again
    Resume(ScopeArgs),
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list::run(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Retry(args) => retry::run(args).await,
        Command::Cancel(args) => cancel::run(args).await,
        Command::Workers(args) => workers::run(args).await,
        Command::Pause(args) => pause::pause(args).await,
        Command::Resume(args) => pause::resume(args).await,
    }
}
