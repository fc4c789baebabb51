//! `guildhall`, the one binary: every process of a deployment and every command of its operators.
//!
//! `anyhow` is used in this crate only: every error ends here as one line on standard error.

mod commands;
mod duration;
mod environment;
mod fields;
mod fixture;
mod format;
mod help;
mod input;
mod new_file;
mod operator;
mod output;
mod portable_file;
mod postgres_tool;
mod process;
mod schema;
mod settings;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use runtime::{LogArgs, StartError};

use crate::commands::Command;
use crate::settings::SettingNames;

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
    let mut command = help::with_guide(Cli::command());
    let args = std::env::args_os().collect::<Vec<_>>();
    let parsed = command.try_get_matches_from_mut(&args);
    let matches = parsed.unwrap_or_else(|error| settings::name_variable(error, &command, &args).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let names = SettingNames::of(&command, &matches);
    if let Err(problem) = environment::refuse_unknown(&Cli::command()) {
        return failed(&anyhow::Error::msg(problem), &names);
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into(), &names),
    };
    let result = runtime.block_on(cli.command.run(cli.log, || help::with_guide(Cli::command())));
    // Without waiting: a thread that a job blocks would never end.
    runtime.shutdown_background();
    result.map_or_else(|error| failed(&error, &names), |()| ExitCode::SUCCESS)
}

fn failed(error: &anyhow::Error, names: &SettingNames) -> ExitCode {
    output::note(&names.apply(format!("guildhall: {error:#}")));
    // Those of `guildhall migrate --help`.
    match error.downcast_ref::<StartError>() {
        Some(StartError::OldSchema { .. }) => ExitCode::from(3),
        Some(StartError::NewSchema { .. }) => ExitCode::from(4),
        _ => ExitCode::FAILURE,
    }
}
