//! A large guild's whole lists, many calls at once: what other guilds notice, and what memory the process takes.

mod rows;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testkit::{Deployment, Fixture};

use crate::calls::{self, Answers, Call};
use crate::figures::{Figures, percentile};
use crate::http::load;
use crate::usage::Usage;

/// Measure ban checks of other guilds and memory while whole lists of a large guild are sent; at most twice and 200 MB more than idle
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Links and bans of the large guild, each
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Calls of a list at once
    #[arg(long, default_value_t = 100)]
    calls: usize,
    /// Ask for compressed lists
    #[arg(long)]
    gzip: bool,
    /// Seconds without lists, before and after, and the least with them
    #[arg(long, default_value_t = 10)]
    seconds: u64,
}

/// Times the idle 99th percentile.
const MOST_SLOWDOWN: f64 = 2.0;
/// 200 MB more than idle.
const MOST_MIB: f64 = 200e6 / 1024.0 / 1024.0;

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let deployment =
        load::deployment(arguments.embedded, Fixture::new(5, 50), load::Each::bans(0), "error").await;
    rows::write(&deployment, arguments.rows).await;
    deployment.start_all().await;
    let mut figures = Figures::default();
    let guild = &deployment.guild().id;
    for (list, path) in [
        ("members", format!("/guilds/{guild}/members")),
        ("active bans", format!("/moderation/{guild}/play/bans/active")),
    ] {
        measure(arguments, &deployment, &mut figures, list, &path).await?;
    }
    Ok(figures.conclude())
}

async fn measure(
    arguments: &Arguments,
    deployment: &Deployment,
    figures: &mut Figures,
    list: &str,
    path: &str,
) -> anyhow::Result<()> {
    let (base, process) = (deployment.api_base(0), deployment.roles().apis[0].process.id());
    let memory = || Usage::of(process).map(|usage| usage.memory_mib);
    let pause = Duration::from_secs(arguments.seconds);
    let lists: Vec<Call> = (0..arguments.calls).map(|n| Call::new(path, 0, n).gzip(arguments.gzip)).collect();
    let checks: Vec<Call> = (0..400).map(|n| check(deployment, n)).collect();
    // Everything is in memory, and every connection is open.
    drop(calls::check_for(&base, &checks, Duration::from_secs(2)).await?);
    let idle = calls::check_for(&base, &checks, pause).await?;
    let idle_mib = memory()?;

    let done = Arc::new(AtomicBool::new(false));
    let (ended, target) = (done.clone(), base.clone());
    let sending = std::thread::spawn(move || {
        let answers = calls::all_at_once(&target, &lists, pause);
        ended.store(true, Ordering::Relaxed);
        answers
    });
    let (mut busy, mut most_mib) = (Vec::new(), 0.0_f64);
    while !done.load(Ordering::Relaxed) {
        busy.extend(calls::check_for(&base, &checks, Duration::from_millis(100)).await?);
        most_mib = most_mib.max(memory()?);
    }
    let Answers { whole, busy: refused, bytes, seconds } =
        sending.join().map_err(|_| anyhow::anyhow!("the calls panicked"))??;
    let after = calls::check_for(&base, &checks, pause).await?;

    figures.heading(&format!("{list}: {} calls at once of {} rows", arguments.calls, arguments.rows));
    figures.report("whole answers", f64::from(whole));
    figures.report("answers 503", f64::from(refused));
    let kb = u32::try_from(bytes / u64::from(whole.max(1)) / 1_000)?;
    figures.report("MB of each whole answer", f64::from(kb) / 1e3);
    figures.report("seconds until the last answer", seconds);
    figures.report("ban check of other guilds, idle, 50th percentile, ms", percentile(&idle, 50));
    figures.report("  99th percentile, ms", percentile(&idle, 99));
    figures.report("during the calls, 50th percentile, ms", percentile(&busy, 50));
    figures.report("  99th percentile, ms", percentile(&busy, 99));
    figures.report("after the calls, 99th percentile, ms", percentile(&after, 99));
    figures.report("memory idle, MiB", idle_mib);
    figures.report("memory after, MiB", memory()?);
    figures.at_least("whole answers", f64::from(whole), 1.0);
    let slowdown = percentile(&busy, 99) / percentile(&idle, 99);
    figures.at_most("99th percentile, times idle", slowdown, MOST_SLOWDOWN);
    figures.at_most("most memory above idle, MiB", most_mib - idle_mib, MOST_MIB.floor());
    Ok(())
}

/// A ban check of one of the other guilds.
fn check(deployment: &Deployment, n: usize) -> Call {
    let index = 1 + n % (deployment.fixture.guilds.len() - 1);
    let guild = &deployment.fixture.guilds[index];
    let player = guild.members[n * 37 % guild.members.len()].play;
    Call::new(&format!("/moderation/{}/ban-status/{player}", guild.id), index, n % 100)
}
