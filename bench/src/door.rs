//! Hostile clients beside an honest one: what others notice, what memory they cost, and when they are gone.
//!
//! Clients, servers and database share the processors here. A bare server that gets the same checks at the same times
//! tells how much of a delay is theirs.

mod attacks;
mod console;
mod target;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chrono::TimeDelta;
use entities::audit_entry;
use runtime::Clock;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::json;
use testkit::{Deployment, Fixture, Mode, Setup};

use self::attacks::{ATTACKS, Attack};
use self::console::sign_in_as;
use self::target::Target;
use crate::checks::{Checks, Times};
use crate::figures::{Figures, float, percentile};
use crate::http::load::{self, Each};
use crate::usage::Usage;

/// Attack the API in several ways beside ban checks of other guilds: their 99th percentile may take 1.2 times as long (twice
/// beside a hostile guild), apart from how much longer a bare server takes at the same time
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
/// 100 MB more than idle, of the process and of the system for its connections.
const MOST_MIB: f64 = 100e6 / 1024.0 / 1024.0;
/// Refusals of the chat platform that an attack may cause. It bans an address at 10,000 in ten minutes.
const MOST_REFUSALS: f64 = 100.0;
/// New counters of requests, for statuses that appear late. A client that can choose a label would make
/// hundreds.
const MOST_SERIES: f64 = 20.0;
/// Entries of the hostile guild's audit log.
const ENTRIES: usize = 50_000;
/// Bytes of the metadata of each.
const METADATA: usize = 300;
/// Connections that come and go beside an attack.
const STRAY: usize = 5;
/// The keys as they are made: every limit holds.
const LIMITED: &str = "UPDATE api_key SET hot_path_factor = 1";
/// Staff of the hostile guild may export its audit log.
const STAFF_READ: &str = "UPDATE staff_role SET permissions = '[\"audit.read\"]'";
/// The platform's answer for a guild without the bot.
const WITHOUT_BOT: [&str; 3] =
    ["GET /guilds/:guild/members/:user", "GET /guilds/:guild/roles", "GET /guilds/:guild"];

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let setup = Setup::new(Mode::embedded_if(arguments.embedded));
    let setup =
        setup.env("GUILDHALL_CHAT_CLIENT_ID", "guildhall-demo").env("GUILDHALL_PUBLIC_URL", "http://bench");
    let setup = setup.env("GUILDHALL_CHAT_CLIENT_SECRET", "guildhall-demo-secret");
    let deployment =
        load::deployment_of(setup, Fixture::new(5, 50), Each { keys: load::KEYS, bans: 1_000 }).await;
    deployment.execute(LIMITED).await;
    deployment.execute(STAFF_READ).await;
    fill_audit_log(&deployment).await?;
    deployment.start_all().await;
    let mut figures = Figures::default();
    let (target, checks) = (target(&deployment).await?, Checks::start(&deployment).await?);
    for attack in &ATTACKS {
        if arguments.only.as_ref().is_none_or(|only| only == attack.name) {
            measure(arguments, (&deployment, &checks), attack, &target, &mut figures).await?;
        }
    }
    Ok(figures.conclude())
}

async fn measure(
    arguments: &Arguments,
    (deployment, checks): (&Deployment, &Checks),
    attack: &'static Attack,
    target: &Target,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let process = deployment.roles().apis[0].process.id();
    let pause = Duration::from_secs(arguments.seconds);
    checks.run(Duration::from_secs(2)).await?;
    let idle = checks.run(pause).await?;
    let (idle_mib, idle_files) = (memory(process)?, files(process)?);

    target.over.store(false, Ordering::Relaxed);
    if attack.name == attacks::WITHOUT_BOT {
        take_bot_away(deployment).await;
    }
    let refused = refusals(deployment).await;
    let mut seen = Seen { idle, idle_mib, ..Seen::default() };
    let mut known = None;
    let (began, attacking) = (Instant::now(), attack.start(target));
    while began.elapsed() < pause || (attack.holds && seen.gone.is_none() && began.elapsed() < GONE_AT_LAST) {
        seen.busy.extend(checks.run(Duration::from_millis(500)).await?);
        seen.most_mib = seen.most_mib.max(memory(process)?);
        if known.is_none() && began.elapsed() > pause / 2 {
            known = Some(series(deployment).await);
        }
        if seen.gone.is_none() && files(process)? <= idle_files + STRAY {
            seen.gone = Some(began.elapsed().as_secs_f64());
        }
    }
    target.over.store(true, Ordering::Relaxed);
    attacking.join().map_err(|_| anyhow::anyhow!("the attack panicked"))??;
    seen.series = series(deployment).await.saturating_sub(known.unwrap_or_default());
    seen.refusals = refusals(deployment).await - refused;
    deployment.clear_faults().await;
    seen.after = checks.run(pause).await?;
    seen.after_mib = memory(process)?;
    seen.report(attack, figures);
    Ok(())
}

/// What was measured.
#[derive(Default)]
struct Seen {
    idle: Times,
    busy: Times,
    after: Times,
    idle_mib: f64,
    most_mib: f64,
    after_mib: f64,
    /// New ones in the second half.
    series: usize,
    /// Of the chat platform.
    refusals: f64,
    /// Seconds until its connections were closed.
    gone: Option<f64>,
}

impl Seen {
    fn report(&self, attack: &Attack, figures: &mut Figures) {
        Figures::heading(attack.name);
        for (when, times) in [("before", &self.idle), ("during", &self.busy), ("after", &self.after)] {
            let what = format!("ban check of other guilds {when}, 50th percentile, ms");
            Figures::report(&what, percentile(&times.own, 50));
            Figures::report("  99th percentile, ms", percentile(&times.own, 99));
            Figures::report("  99th percentile of a bare server, ms", percentile(&times.bare, 99));
        }
        Figures::report("memory before, MiB", self.idle_mib);
        Figures::report("memory after, MiB", self.after_mib);
        // One idle window alone differs by half from the next.
        let times = |of: fn(&Times) -> &Vec<f64>| {
            percentile(of(&self.busy), 99)
                / percentile(&[of(&self.idle).as_slice(), of(&self.after)].concat(), 99)
        };
        let (own, bare) = (times(|times| &times.own), times(|times| &times.bare));
        Figures::report("99th percentile, times idle (before and after)", own);
        Figures::report("  of the bare server", bare);
        figures.at_most("  beyond the bare server's", own / bare.max(1.0), attack.most);
        figures.at_most("most memory above idle, MiB", self.most_mib - self.idle_mib, MOST_MIB.floor());
        figures.at_most("series made in the second half", float(self.series), MOST_SERIES);
        figures.at_most("refusals of the platform", self.refusals, MOST_REFUSALS);
        if attack.holds {
            let gone = self.gone.unwrap_or(f64::INFINITY);
            figures.at_most("seconds until it was closed", gone, GONE_WITHIN);
        }
    }
}

async fn take_bot_away(deployment: &Deployment) {
    for route in WITHOUT_BOT {
        let fault = json!({ "route": route, "status": 403, "code": 50001, "count": 1_000_000 });
        deployment.fault(fault).await;
    }
}

async fn refusals(deployment: &Deployment) -> f64 {
    deployment.simulator.stats().await["invalid"].as_f64().unwrap_or(f64::NAN)
}

async fn target(deployment: &Deployment) -> anyhow::Result<Target> {
    let guild = deployment.guild();
    let mut admins = Vec::new();
    for member in &guild.members[..4] {
        admins.push(sign_in_as(deployment, guild, &member.chat).await?);
    }
    Ok(Target {
        address: deployment.api_base(0).strip_prefix("http://").context("no http")?.parse()?,
        guild: guild.id.clone(),
        staff: guild.members[0].chat.clone(),
        admins,
        stranger: sign_in_as(deployment, guild, &guild.members[20].chat).await?,
        over: Arc::new(AtomicBool::new(false)),
    })
}

async fn fill_audit_log(deployment: &Deployment) -> anyhow::Result<()> {
    let (guild, now) = (deployment.guild().id.parse()?, Clock::system().now());
    let row = |n: usize| audit_entry::ActiveModel {
        guild_id: Set(guild),
        action: Set("bench.entry".to_owned()),
        source: Set(audit_entry::Source::Custom),
        actor_id: Set(0),
        target_id: Set(n.to_string()),
        metadata: Set(json!({ "text": "x".repeat(METADATA) })),
        created_at: Set(now - TimeDelta::days(1)),
        ..Default::default()
    };
    let connection = deployment.connect().await;
    let numbers: Vec<usize> = (0..ENTRIES).collect();
    for part in numbers.chunks(1_000) {
        let rows = part.iter().map(|n| row(*n));
        audit_entry::Entity::insert_many(rows).exec_without_returning(&connection).await?;
    }
    Ok(connection.close().await?)
}

/// Of the API process, each with its route, method and status.
async fn series(deployment: &Deployment) -> usize {
    let metrics = deployment.metrics(0).await;
    metrics.lines().filter(|line| line.starts_with("http_server_request_duration_seconds_count")).count()
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
