//! Live sockets by the thousand on one process: memory, how soon a ban reaches them, and ban checks while all of them
//! reconnect at once. A bare server beside it tells what any process would feel of such a storm.

mod crowd;

use std::pin::pin;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use crowd::{Crowd, Seat};
use futures_util::future::{Either, select};
use serde_json::json;
use testkit::{Deployment, Fixture, http_client};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::checks::{Checks, Times};
use crate::figures::{Figures, float, percentile};
use crate::http::load::{self, Each};
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
/// Each has 1,000 keys.
const GUILDS: usize = 20;
/// Of reconnects.
const STORMS: usize = 3;
/// The large guild has half of the sockets.
const LARGE: usize = 0;

/// Measure memory, delivery and reconnects of live sockets on one process
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Sockets, half of them of one guild
    #[arg(long, default_value_t = 10_000)]
    sockets: usize,
}

struct Bench<'a> {
    deployment: &'a Deployment,
    crowd: Crowd,
    seats: Vec<Seat>,
    address: String,
    checks: Checks,
    http: reqwest::Client,
    patient: Handle,
    /// Bans so far.
    bans: usize,
}

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let files = runtime::raise_file_limit();
    anyhow::ensure!(files > arguments.sockets + 500, "{files} open files are too few; see ulimit -n");
    let fixture = Fixture::new(GUILDS, 20);
    let each = Each { keys: load::KEYS, bans: 0 };
    let deployment = load::deployment(arguments.embedded, fixture, each).await;
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
            Seat { path, key: load::text(guild, number / 2 % load::KEYS), notes: guild == LARGE }
        };
        let seats = (0..arguments.sockets).map(seat).collect();
        let (crowd, http, patient) = (Crowd::new(&address)?, http_client(), crowd::patient()?);
        let checks = Checks::start(deployment).await?;
        Ok(Self { deployment, crowd, seats, address, checks, http, patient, bans: 0 })
    }

    async fn measure(mut self, arguments: &Arguments, figures: &mut Figures) -> anyhow::Result<()> {
        // The guilds are in memory before anything is measured.
        self.checks.run(IDLE).await?;
        let before = self.usage()?.memory_mib;
        Figures::heading(&format!("{} sockets", arguments.sockets));
        let opened = Instant::now();
        let mut sockets = self.crowd.enter(&self.seats, AT_ONCE, &Handle::current()).await?;
        Figures::report("seconds until all are open", opened.elapsed().as_secs_f64());
        let more = self.usage()?.memory_mib - before;
        Figures::report("memory of the process without them, MiB", before);
        figures.at_most("for each socket, KiB", more * 1024.0 / float(arguments.sockets), MOST_KIB);
        self.bans_reach_all(figures).await?;
        let (mut slower, mut bare_slower) = (Vec::new(), Vec::new());
        for _ in 0..STORMS {
            let ([own, bare], open) = self.storm(sockets).await?;
            slower.push(own);
            bare_slower.push(bare);
            sockets = open;
        }
        Figures::heading("storms");
        figures.at_most("ban check, p99 beside the idle one, median", percentile(&slower, 50), SLOWER_BY);
        Figures::report("the same of a bare server beside it", percentile(&bare_slower, 50));
        Figures::report("memory of the process after them, MiB", self.usage()?.memory_mib);
        Ok(())
    }

    fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of(self.deployment.roles().apis[0].process.id())
    }

    async fn ban(&mut self) -> anyhow::Result<()> {
        self.bans += 1;
        let guild = &self.deployment.fixture.guilds[LARGE];
        let url = format!("http://{}/moderation/{}/play/ban", self.address, guild.id);
        let body = json!({ "identifier": (80_000_000 + self.bans).to_string(), "reason": "exploiting", "place_id": 1,
                           "moderator_id": guild.members[0].chat });
        let key = load::text(LARGE, self.bans % load::KEYS);
        self.http.post(url).header("x-api-key", key).json(&body).send().await?.error_for_status()?;
        Ok(())
    }

    /// Milliseconds from the request of a ban to its receipt at each socket of the guild.
    async fn ban_reaches(&mut self) -> anyhow::Result<Vec<f64>> {
        let expected = self.seats.len().div_ceil(2);
        drop(self.crowd.received());
        let (asked, mut took) = (Instant::now(), Vec::new());
        self.ban().await?;
        while took.len() < expected {
            anyhow::ensure!(asked.elapsed() < LONG, "a ban reached {} of {expected}", took.len());
            tokio::time::sleep(Duration::from_millis(2)).await;
            took.extend(self.crowd.received().into_iter().map(|at| (at - asked).as_secs_f64() * 1e3));
        }
        Ok(took)
    }

    async fn bans_reach_all(&mut self, figures: &mut Figures) -> anyhow::Result<()> {
        Figures::heading("ban in the large guild, from the request to the receipt, ms");
        let mut took = Vec::new();
        for _ in 0..BANS {
            took.extend(self.ban_reaches().await?);
        }
        Figures::report("p50", percentile(&took, 50));
        figures.at_most("p99", percentile(&took, 99), REACHED_WITHIN_MS);
        Figures::report("most", percentile(&took, 100));
        Ok(())
    }

    /// Every socket disconnects and reconnects at once. Returns how many times as long the ban check's p99 is
    /// as before, and that of the bare server.
    async fn storm(&self, sockets: JoinSet<()>) -> anyhow::Result<([f64; 2], JoinSet<()>)> {
        Figures::heading("all reconnect at once; ban check, ms");
        let idle = self.checks.run(IDLE).await?;
        let (failed, before, begun) = (self.crowd.failed(), self.usage()?, Instant::now());
        drop(sockets);
        let mut entering = pin!(self.crowd.enter(&self.seats, Semaphore::MAX_PERMITS, &self.patient));
        let mut storm = Times::default();
        let sockets = loop {
            let checked = pin!(self.checks.run(Duration::from_millis(500)));
            match select(&mut entering, checked).await {
                Either::Left((sockets, checked)) => {
                    storm.extend(checked.await?);
                    break sockets?;
                }
                Either::Right((times, _)) => storm.extend(times?),
            }
        };
        let lasted = begun.elapsed();
        let cpu = self.usage()?.cpu_since(&before) / float(self.seats.len());
        for (name, times) in [("idle", &idle), ("storm", &storm)] {
            for (took, whose) in [(&times.own, ""), (&times.bare, " of a bare server beside it")] {
                Figures::report(&format!("{name}, p50{whose}"), percentile(took, 50));
                Figures::report(&format!("{name}, p99{whose}"), percentile(took, 99));
                Figures::report(&format!("{name}, most{whose}"), percentile(took, 100));
            }
        }
        Figures::report("seconds until all are back", lasted.as_secs_f64());
        Figures::report("CPU of the process for each socket, \u{b5}s", cpu);
        Figures::report("failed attempts", float(self.crowd.failed() - failed));
        let slower = [(&storm.own, &idle.own), (&storm.bare, &idle.bare)]
            .map(|(storm, idle)| percentile(storm, 99) / percentile(idle, 99));
        Ok((slower, sockets))
    }
}
