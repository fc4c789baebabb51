//! Hostile clients beside an honest one: what others notice, what memory they cost, and when they are gone.

mod attacks;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use testkit::{Deployment, Fixture};

use self::attacks::{ATTACKS, Attack, Target};
use crate::calls::{self, Call};
use crate::figures::{Figures, float, percentile};
use crate::http::load;
use crate::usage::Usage;

/// Attack the API in several ways beside ban checks of other guilds, which may take 1.2 times as long (twice beside a hostile guild)
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Seconds before, during and after each attack
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Only the attack of this name
    #[arg(long)]
    only: Option<String>,
}

/// Seconds until the connections of an attack are closed.
const GONE_WITHIN: f64 = 15.0;
const GONE_AT_LAST: Duration = Duration::from_mins(2);
/// 200 MB more than idle, of the process and of the system for its connections.
const MOST_MIB: f64 = 200e6 / 1024.0 / 1024.0;
/// Connections that come and go beside an attack.
const STRAY: usize = 5;
/// The keys as they are made: every limit holds.
const LIMITED: &str = "UPDATE api_key SET hot_path_factor = 1";

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let deployment =
        load::deployment(arguments.embedded, Fixture::new(5, 50), load::Each::bans(1_000), "error").await;
    deployment.execute(LIMITED).await;
    deployment.start_all().await;
    let mut figures = Figures::default();
    for attack in &ATTACKS {
        if arguments.only.as_ref().is_none_or(|only| only == attack.name) {
            measure(arguments, &deployment, attack, &mut figures).await?;
        }
    }
    deployment.close().await;
    Ok(figures.conclude())
}

async fn measure(
    arguments: &Arguments,
    deployment: &Deployment,
    attack: &'static Attack,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (base, process) = (deployment.api_base(0), deployment.roles().apis[0].process.id());
    let pause = Duration::from_secs(arguments.seconds);
    let checks: Vec<Call> = (0..4_000).map(|n| check(deployment, n)).collect();
    drop(calls::check_for(&base, &checks, Duration::from_secs(2)).await?);
    let idle = calls::check_for(&base, &checks, pause).await?;
    let (idle_mib, idle_files) = (memory(process)?, files(process)?);

    let target = Target {
        address: base.strip_prefix("http://").context("no http")?.parse()?,
        guild: deployment.guild().id.clone(),
        staff: deployment.guild().members[0].chat.clone(),
        over: Arc::new(AtomicBool::new(false)),
    };
    let (began, attacking) = (Instant::now(), attack.start(&target));
    let (mut busy, mut most_mib, mut gone) = (Vec::new(), 0.0_f64, None);
    while began.elapsed() < pause || (attack.holds && gone.is_none() && began.elapsed() < GONE_AT_LAST) {
        busy.extend(calls::check_for(&base, &checks, Duration::from_millis(500)).await?);
        most_mib = most_mib.max(memory(process)?);
        if gone.is_none() && files(process)? <= idle_files + STRAY {
            gone = Some(began.elapsed().as_secs_f64());
        }
    }
    target.over.store(true, Ordering::Relaxed);
    attacking.join().map_err(|_| anyhow::anyhow!("the attack panicked"))??;
    let after = calls::check_for(&base, &checks, pause).await?;

    figures.heading(attack.name);
    for (when, times) in [("before", &idle), ("during", &busy), ("after", &after)] {
        figures
            .report(&format!("ban check of other guilds {when}, 50th percentile, ms"), percentile(times, 50));
        figures.report("  99th percentile, ms", percentile(times, 99));
    }
    figures.report("memory before, MiB", idle_mib);
    figures.report("memory after, MiB", memory(process)?);
    figures.at_most(
        "99th percentile, times before",
        percentile(&busy, 99) / percentile(&idle, 99),
        attack.most,
    );
    figures.at_most("most memory above idle, MiB", most_mib - idle_mib, MOST_MIB.floor());
    if attack.holds {
        figures.at_most("seconds until it was closed", gone.unwrap_or(f64::INFINITY), GONE_WITHIN);
    }
    Ok(())
}

/// A ban check of one of the other guilds.
fn check(deployment: &Deployment, n: usize) -> Call {
    let index = 1 + n % (deployment.fixture.guilds.len() - 1);
    let guild = &deployment.fixture.guilds[index];
    let player = guild.members[n * 37 % guild.members.len()].play;
    Call::new(&format!("/moderation/{}/ban-status/{player}", guild.id), index, n % load::KEYS)
}

/// Of the process, and what the system holds for TCP connections; the whole system's, for it tells no other.
fn memory(process: u32) -> anyhow::Result<f64> {
    let sockets = std::fs::read_to_string("/proc/net/sockstat")?;
    let line = sockets.lines().find(|line| line.starts_with("TCP:")).context("no line for TCP")?;
    let pages: usize = line.rsplit(' ').next().context("a short line")?.parse()?;
    Ok(Usage::of(process)?.memory_mib + float(pages * 4) / 1024.0)
}

/// Open files of the process.
fn files(process: u32) -> anyhow::Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{process}/fd"))?.count())
}
