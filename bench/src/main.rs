//! Figures for the job system, each beside the ceiling it is compared with in the same run.
//!
//! `eval "$(deploy/services env)"; cargo run --release -p bench -- --help`

mod ceiling;
mod chaos_command;
mod fixture;
mod latency;
mod proxy_command;
mod staff;
mod throughput;

use clap::{Parser, Subcommand};

/// The same as the product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "Measures the job system against its ceilings; servers come from deploy/services")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// No-op jobs through the whole path: row, confirm, claim, finish
    Throughput(throughput::Arguments),
    /// Enqueue to start, and what a waiting caller pays, on an idle system
    Latency(latency::Arguments),
    /// Publish with confirm and consume with ack, without any job: what the broker alone can do
    Ceiling(ceiling::Arguments),
    /// Leaderboard, stats and quota progress of a guild with a million staff actions
    Staff(staff::Arguments),
    Chaos(bench::chaos::Plan),
    Flood(bench::flood::Arguments),
    RateLimits(bench::rate_limit_check::Arguments),
    Outage(bench::outage::Arguments),
    /// A TCP proxy that fails when told, to stand between a process and one of its servers
    Proxy(proxy_command::Arguments),
    Recovery(bench::recovery::Arguments),
    Turns(bench::turns::Arguments),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Arguments::parse().what {
        What::Throughput(arguments) => throughput::run(&arguments).await,
        What::Latency(arguments) => latency::run(&arguments).await,
        What::Ceiling(arguments) => ceiling::run(&arguments).await,
        What::Staff(arguments) => staff::run(&arguments).await,
        What::Chaos(plan) => chaos_command::run(&plan).await,
        What::Flood(arguments) => targets(bench::flood::run(&arguments).await),
        What::RateLimits(arguments) => targets(bench::rate_limit_check::run(&arguments).await),
        What::Outage(arguments) => targets(bench::outage::run(&arguments).await),
        What::Proxy(arguments) => proxy_command::run(&arguments),
        What::Recovery(arguments) => targets(bench::recovery::run(&arguments).await),
        What::Turns(arguments) => targets(bench::turns::run(&arguments).await),
    }
}

/// A missed target ends the program with 1.
fn targets(met: bool) -> anyhow::Result<()> {
    anyhow::ensure!(met, "a target was missed");
    Ok(())
}
