//! Puts load and faults on the product; each figure with a target exits with 1 if it misses it.
//!
//! `eval "$(deploy/services env)"; cargo run --profile dist -p bench -- --help`

mod throughput;

use clap::{Parser, Subcommand};

/// The same as the product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the product and searches for its faults, on the servers of deploy/services
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Chaos(bench::chaos::Plan),
    Chat(bench::chat::Arguments),
    Door(bench::door::Arguments),
    Games(bench::games::Arguments),
    Http(bench::http::Arguments),
    #[command(hide = true)]
    HttpCeiling(bench::http::CeilingArguments),
    Sockets(bench::sockets::Arguments),
    Throughput(throughput::Arguments),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let met = match Arguments::parse().command {
        Command::Chaos(plan) => {
            let report = bench::chaos::run(&plan).await?;
            print!("{report}");
            report.is_sound()
        }
        Command::Chat(arguments) => bench::chat::run(&arguments).await?,
        Command::Door(arguments) => bench::door::run(&arguments).await?,
        Command::Games(arguments) => bench::games::run(&arguments).await?,
        Command::Http(arguments) => bench::http::run(&arguments).await?,
        Command::HttpCeiling(arguments) => return bench::http::serve_ceiling(&arguments).await,
        Command::Sockets(arguments) => bench::sockets::run(&arguments).await?,
        Command::Throughput(arguments) => return throughput::run(&arguments).await,
    };
    if !met {
        std::process::exit(1);
    }
    Ok(())
}
