//! `guildhall`, the one binary: every process of a deployment and every command of its operators.
//!
//! `anyhow` is used in this crate only: every error ends here as one line on standard error.

mod commands;
mod duration;
mod fields;
mod fixture;
mod help;
mod links;
mod operator;
mod output;
mod process;
mod schema;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use runtime::LogArgs;

use crate::commands::Command;

/// A job makes many small allocations on every thread, where this allocator is cheaper than the C library's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Guildhall links chat accounts with game accounts and keeps roles in step with game ranks
#[derive(Parser)]
#[command(name = "guildhall", version, subcommand_required = true)]
struct Cli {
    #[command(flatten)]
    log: LogArgs,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let matches = help::with_guide(Cli::command()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let result = runtime.block_on(cli.command.run(cli.log));
    // Without waiting: a thread that a job blocks would never end.
    runtime.shutdown_background();
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

fn failed(error: &anyhow::Error) -> ExitCode {
    output::note(&format!("guildhall: {error:#}"));
    ExitCode::FAILURE
}
