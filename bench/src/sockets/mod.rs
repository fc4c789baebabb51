//! Live sockets by the thousand on one process: memory, how soon a ban reaches them, what a slow reader costs the others,
//! and ban checks while all of them reconnect at once.

mod crowd;
mod probe;

use std::time::{Duration, Instant};

use anyhow::Context as _;
use crowd::{Crowd, Seat};
use probe::Probe;
use serde_json::json;
use testkit::{Deployment, Fixture, http_client};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::figures::{Figures, float, percentile};
use crate::http::ceiling::Ceiling;
use crate::http::load;
use crate::patient;
use crate::usage::Usage;

/// Of the process, for each socket: 250 MB for 10,000.
const MOST_KIB: f64 = 25.0;
/// From the ban's request to its receipt.
const REACHED_WITHIN_MS: f64 = 200.0;
/// Of the ban check's p99, while all sockets reconnect.
const SLOWER_BY: f64 = 2.0;
/// Sockets that are opened at a time, except in the storm.
const AT_ONCE: usize = 64;
const BANS: usize = 20;
const IDLE: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(60);
/// The large guild has half of the sockets.
const LARGE: usize = 0;
/// The guild of the slow reader.
const SLOW: usize = 1;
/// Frames that no buffer of the system holds.
const SLOW_BANS: usize = 5_000;

/// Measure memory, delivery and reconnects of live sockets on one process
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Sockets, half of them of one guild
    #[arg(long, default_value_t = 10_000)]
    sockets: usize,
    /// Guilds, each with 1,000 keys
    #[arg(long, default_value_t = 20)]
    guilds: usize,
    /// Storms of reconnects
    #[arg(long, default_value_t = 3)]
    storms: usize,
}

struct Bench<'a> {
    deployment: &'a Deployment,
    crowd: Crowd,
    seats: Vec<Seat>,
    address: String,
    /// Only answers its probe: its delay in a storm is that of any process.
    bare: Ceiling,
    http: reqwest::Client,
    patient: Handle,
    /// Bans so far.
    bans: usize,
}

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let files = runtime::raise_file_limit();
    anyhow::ensure!(files > arguments.sockets + 500, "{files} open files are too few; see ulimit -n");
    let fixture = Fixture::new(arguments.guilds.max(2), 20);
    let deployment = load::deployment(arguments.embedded, fixture, load::Each::bans(0), "warn").await;
    deployment.start_all().await;
    let mut figures = Figures::default();
    Bench::new(&deployment, arguments).await?.measure(arguments, &mut figures).await?;
    Ok(figures.conclude())
}

impl<'a> Bench<'a> {
    async fn new(deployment: &'a Deployment, arguments: &Arguments) -> anyhow::Result<Self> {
        let base = deployment.api_base(0);
        let address = base.strip_prefix("http://").context("no address")?.to_owned();
        let guilds = &deployment.fixture.guilds;
        let seat = |number: usize| {
            let guild = if number.is_multiple_of(2) { LARGE } else { 1 + number / 2 % (guilds.len() - 1) };
            let path =
                format!("/ws/guilds/{}/play?placeId=1&serverId=s{number}&universeId=2", guilds[guild].id);
            Seat { path, key: load::text(guild, number / 2 % load::KEYS), guild }
        };
        let seats = (0..arguments.sockets).map(seat).collect();
        let (crowd, http, patient) = (Crowd::new(&address)?, http_client(), patient::threads()?);
        let first = checks(deployment).swap_remove(0);
        let bare = Ceiling::start(deployment.folder(), &base, &first).await?;
        Ok(Self { deployment, crowd, seats, address, bare, http, patient, bans: 0 })
    }

    async fn measure(mut self, arguments: &Arguments, figures: &mut Figures) -> anyhow::Result<()> {
        // The guilds are in memory before anything is measured.
        self.checks(IDLE).await?;
        let before = self.usage()?.memory_mib;
        figures.heading(&format!("{} sockets", arguments.sockets));
        let opened = Instant::now();
        let mut sockets = self.crowd.enter(&self.seats, AT_ONCE, &Handle::current()).await?;
        figures.report("seconds until all are open", opened.elapsed().as_secs_f64());
        let more = self.usage()?.memory_mib - before;
        figures.report("memory of the process without them, MiB", before);
        figures.at_most("for each socket, KiB", more * 1024.0 / float(arguments.sockets), MOST_KIB);
        self.bans_reach_all(figures).await?;
        self.slow_reader(figures).await?;
        let (mut slower, mut bare_slower) = (Vec::new(), Vec::new());
        for _ in 0..arguments.storms {
            let ([own, bare], open) = self.storm(sockets, figures).await?;
            slower.push(own);
            bare_slower.push(bare);
            sockets = open;
        }
        figures.heading("storms");
        figures.at_most("ban check, p99 beside the idle one, median", percentile(&slower, 50), SLOWER_BY);
        figures.report("the same of a bare server beside it", percentile(&bare_slower, 50));
        figures.report("memory of the process after them, MiB", self.usage()?.memory_mib);
        Ok(())
    }

    fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of(self.deployment.roles().apis[0].process.id())
    }

    /// Checks of the process, and of a server without other work.
    fn probes(&self) -> anyhow::Result<[Probe; 2]> {
        let requests = checks(self.deployment);
        let bare = self.bare.base.strip_prefix("http://").context("no address")?;
        Ok([Probe::start(&self.address, requests.clone())?, Probe::start(bare, requests)?])
    }

    /// Milliseconds of both while nothing else happens.
    async fn checks(&self, during: Duration) -> anyhow::Result<[Vec<f64>; 2]> {
        let [own, bare] = self.probes()?;
        tokio::time::sleep(during).await;
        Ok([own.finish()?, bare.finish()?])
    }

    async fn ban(&mut self, guild: usize, reason: &str) -> anyhow::Result<()> {
        self.bans += 1;
        let of = &self.deployment.fixture.guilds[guild];
        let url = format!("http://{}/moderation/{}/play/ban", self.address, of.id);
        let body = json!({ "identifier": (80_000_000 + self.bans).to_string(), "reason": reason, "place_id": 1,
                           "moderator_id": of.members[0].chat });
        let key = load::text(guild, self.bans % load::KEYS);
        self.http.post(url).header("x-api-key", key).json(&body).send().await?.error_for_status()?;
        Ok(())
    }

    /// Milliseconds from the request of a ban to its receipt at each socket of the guild.
    async fn ban_reaches(&mut self, guild: usize, reason: &str) -> anyhow::Result<Vec<f64>> {
        let expected = self.seats.iter().filter(|seat| seat.guild == guild).count();
        self.crowd.clear();
        let asked = Instant::now();
        self.ban(guild, reason).await?;
        while self.crowd.count(guild) < expected {
            anyhow::ensure!(
                asked.elapsed() < LONG,
                "a ban reached {} of {expected}",
                self.crowd.count(guild)
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(self.crowd.since(guild, asked))
    }

    async fn bans_reach_all(&mut self, figures: &mut Figures) -> anyhow::Result<()> {
        figures.heading("ban in the large guild, from the request to the receipt, ms");
        let mut took = Vec::new();
        for _ in 0..BANS {
            took.extend(self.ban_reaches(LARGE, "exploiting").await?);
        }
        figures.report("p50", percentile(&took, 50));
        figures.at_most("p99", percentile(&took, 99), REACHED_WITHIN_MS);
        figures.report("most", percentile(&took, 100));
        Ok(())
    }

    async fn slow_reader(&mut self, figures: &mut Figures) -> anyhow::Result<()> {
        figures.heading("a socket that reads nothing, and the others of its guild");
        let reason = "\u{1F6AB}".repeat(1_000);
        let mut alone = Vec::new();
        for _ in 0..BANS {
            alone.extend(self.ban_reaches(SLOW, &reason).await?);
        }
        let seat = self.seats.iter().find(|seat| seat.guild == SLOW).context("no seat")?.clone();
        let _slow = self.crowd.open(&seat, 0, Some(4_096)).await?;
        let (before, begun) = (self.usage()?.memory_mib, Instant::now());
        let (mut beside, mut bans) = (Vec::new(), 0);
        while !self.closed_as_slow().await && bans < SLOW_BANS {
            beside.extend(self.ban_reaches(SLOW, &reason).await?);
            bans += 1;
        }
        figures.report("bans of 4 KB until it is closed", float(bans));
        figures.at_most("the same, seconds", begun.elapsed().as_secs_f64(), LONG.as_secs_f64());
        figures.report("more memory of the process, MiB", self.usage()?.memory_mib - before);
        figures.report("ban's receipt before, p99, ms", percentile(&alone, 99));
        figures.at_most("ban's receipt beside it, p99, ms", percentile(&beside, 99), REACHED_WITHIN_MS);
        Ok(())
    }

    async fn closed_as_slow(&self) -> bool {
        let text = self.deployment.metrics(0).await;
        text.lines().any(|line| line.starts_with("guildhall_live_closed_total") && line.contains("1013"))
    }

    /// Every socket disconnects and reconnects at once. Returns how many times as long the ban check's p99 is
    /// as before, and that of the bare server.
    async fn storm(
        &self,
        sockets: tokio::task::JoinSet<()>,
        figures: &mut Figures,
    ) -> anyhow::Result<([f64; 2], tokio::task::JoinSet<()>)> {
        figures.heading("all reconnect at once; ban check, ms");
        let idle = self.checks(IDLE).await?;
        let (failed, [own, bare]) = (self.crowd.failed(), self.probes()?);
        let before = self.usage()?;
        let begun = Instant::now();
        drop(sockets);
        let sockets = self.crowd.enter(&self.seats, Semaphore::MAX_PERMITS, &self.patient).await?;
        let lasted = begun.elapsed();
        let storm = [own.finish()?, bare.finish()?];
        let cpu = self.usage()?.cpu_since(&before) / float(self.seats.len());
        for (name, both) in [("idle", &idle), ("storm", &storm)] {
            for (took, whose) in both.iter().zip(["", " of a bare server beside it"]) {
                figures.report(&format!("{name}, p50{whose}"), percentile(took, 50));
                figures.report(&format!("{name}, p99{whose}"), percentile(took, 99));
                figures.report(&format!("{name}, most{whose}"), percentile(took, 100));
            }
        }
        figures.report("seconds until all are back", lasted.as_secs_f64());
        figures.report("CPU of the process for each socket, \u{b5}s", cpu);
        figures.report("failed attempts", float(self.crowd.failed() - failed));
        let slower = [0, 1].map(|whose: usize| percentile(&storm[whose], 99) / percentile(&idle[whose], 99));
        Ok((slower, sockets))
    }
}

fn checks(deployment: &Deployment) -> Vec<String> {
    let guilds = &deployment.fixture.guilds;
    let request = |number: usize| {
        let guild = number % guilds.len();
        let (id, play) = (&guilds[guild].id, guilds[guild].members[number % 20].play);
        let key = load::text(guild, number % load::KEYS);
        format!("GET /moderation/{id}/ban-status/{play} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n\r\n")
    };
    (0..1_000).map(request).collect()
}
