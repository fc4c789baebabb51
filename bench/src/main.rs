//! Measures the job system; each figure with a target exits with 1 if it misses it.
//!
//! `eval "$(deploy/services env)"; cargo run --profile dist -p bench -- --help`

mod fixture;
mod staff;
mod throughput;

use clap::{Parser, Subcommand};

/// The same as the product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the job system and searches for its faults, on the servers of deploy/services
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure no-op jobs a second through the whole path: insert, publish, claim, end
    Throughput(throughput::Arguments),
    /// Measure leaderboard, stats and quota progress of a guild with a million staff actions; at most 100 ms each
    Staff(staff::Arguments),
    Chaos(bench::chaos::Plan),
    Door(bench::door::Arguments),
    Flood(bench::flood::Arguments),
    Freshness(bench::freshness::Arguments),
    Http(bench::http::Arguments),
    #[command(hide = true)]
    HttpCeiling(bench::http::CeilingArguments),
    Lists(bench::lists::Arguments),
    LiveDashboard(bench::live_dashboard::Arguments),
    RateLimits(bench::rate_limit_check::Arguments),
    Outage(bench::outage::Arguments),
    Pages(bench::pages::Arguments),
    Recovery(bench::recovery::Arguments),
    Removal(bench::removal::Arguments),
    Sockets(bench::sockets::Arguments),
    Turns(bench::turns::Arguments),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let met = match Arguments::parse().command {
        Command::Throughput(arguments) => return throughput::run(&arguments).await,
        Command::Staff(arguments) => staff::run(&arguments).await?,
        Command::Chaos(plan) => {
            let report = bench::chaos::run(&plan).await?;
            print!("{report}");
            report.is_sound()
        }
        Command::Http(arguments) => bench::http::run(&arguments).await?,
        Command::HttpCeiling(arguments) => return bench::http::serve_ceiling(&arguments).await,
        Command::Door(arguments) => bench::door::run(&arguments).await?,
        Command::Flood(arguments) => bench::flood::run(&arguments).await,
        Command::Freshness(arguments) => bench::freshness::run(&arguments).await?,
        Command::Lists(arguments) => bench::lists::run(&arguments).await?,
        Command::LiveDashboard(arguments) => bench::live_dashboard::run(&arguments).await?,
        Command::RateLimits(arguments) => bench::rate_limit_check::run(&arguments).await,
        Command::Outage(arguments) => bench::outage::run(&arguments).await,
        Command::Pages(arguments) => bench::pages::run(&arguments).await?,
        Command::Recovery(arguments) => bench::recovery::run(&arguments).await,
        Command::Removal(arguments) => bench::removal::run(&arguments).await,
        Command::Sockets(arguments) => bench::sockets::run(&arguments).await?,
        Command::Turns(arguments) => bench::turns::run(&arguments).await,
    };
    if !met {
        std::process::exit(1);
    }
    Ok(())
}
