//! `guildhall`, the one binary: every process of a deployment and every command of its operators.
//!
//! `anyhow` is used in this crate alone: whatever goes wrong ends here as one line on standard error.

mod access;
mod commands;
mod fixture;
mod help;
mod links;
mod output;
mod process;
mod schema;
mod span;

use std::process::ExitCode;

use clap::Parser;
use runtime::LogArgs;

use crate::commands::Command;

/// A job is many small allocations on every thread: this one is cheaper there than the C library's.
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
    let cli = help::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let ended = runtime.block_on(cli.command.run(cli.log));
    // Not waited for: a thread that a job blocks would never end.
    runtime.shutdown_background();
    ended.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

fn failed(error: &anyhow::Error) -> ExitCode {
    output::note(&format!("guildhall: {error:#}"));
    ExitCode::FAILURE
}
