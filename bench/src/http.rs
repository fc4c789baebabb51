//! HTTP endpoints that game servers call, under `wrk` over thousands of keys, in turns with a ceiling: bare warp that
//! answers with the same bytes. Writes and first checks are compared with a floor: what the database can do
//! without a service. Each figure is the median of the rounds.

mod cases;
pub(crate) mod ceiling;
mod floor;
pub(crate) mod load;
mod targets;
mod unloaded;
mod wrk;

use std::time::{Duration, Instant};

use cases::{Case, Requests};
use ceiling::Ceiling;
pub use ceiling::{CeilingArguments, serve_ceiling};
use floor::Ground;
use load::Each;
use targets::{Measured, Target};
use testkit::{Deployment, Fixture};
use wrk::Round;

use crate::figures::{Figures, float};
use crate::usage::{self, Usage};

/// Measure requests a second, latency, CPU and memory of the endpoints that game servers call; needs wrk
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Only the case of this name, or those whose names contain it
    #[arg(long, default_value = "")]
    case: String,
    /// Rounds of each case, each on the product and on the ceiling
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of a round
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Connections that are kept alive
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Guilds
    #[arg(long, default_value_t = 20)]
    guilds: usize,
    /// Keys of each guild
    #[arg(long, default_value_t = load::KEYS, value_parser = keys)]
    keys: usize,
    /// Active bans of each guild
    #[arg(long, default_value_t = 1_000)]
    bans: usize,
}

fn keys(text: &str) -> Result<usize, String> {
    let keys = text.parse().ok().filter(|keys| (1..=load::KEYS).contains(keys));
    keys.ok_or_else(|| format!("1 to {}", load::KEYS))
}

/// Linked members of each guild.
const MEMBERS: usize = 500;
const SETTLES: Duration = Duration::from_secs(3);

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let bench = Bench::start(arguments).await?;
    let (mut all, mut figures) = (Vec::new(), Figures::default());
    println!("{:<30} {}", "", Round::HEADINGS);
    for case in bench.cases() {
        let measured = match bench.measure(case).await {
            Ok(measured) => measured,
            Err(error) => {
                println!("{:<30} {error:#}", case.name);
                figures.at_least(&format!("{}: measured", case.name), 0.0, 1.0);
                continue;
            }
        };
        let (ours, bare) = (&measured.product, &measured.ceiling);
        println!("{:<30} {ours}  {:.2} of the ceiling", case.name, ours.rate / bare.rate);
        println!("{:<30} {bare}", "  ceiling");
        all.push(measured);
    }
    Figures::heading("targets");
    for measured in &all {
        measured.check(bench.deployment.mode(), &all, &mut figures);
    }
    Ok(figures.conclude())
}

struct Bench<'a> {
    arguments: &'a Arguments,
    deployment: Deployment,
    ground: Ground,
    /// The requests of each round about guilds that are checked once.
    unloaded: Vec<Vec<String>>,
}

impl<'a> Bench<'a> {
    async fn start(arguments: &'a Arguments) -> anyhow::Result<Self> {
        let fixture = Fixture::new(arguments.guilds, MEMBERS);
        let each = Each { keys: arguments.keys, bans: arguments.bans };
        let deployment = load::deployment(arguments.embedded, fixture, each).await;
        load::open_sessions(&deployment).await?;
        let ground = Ground::prepare(&deployment).await?;
        let mut bench = Self { arguments, deployment, ground, unloaded: Vec::new() };
        if bench.cases().any(|case| matches!(case.requests, Requests::Unloaded)) {
            bench.unloaded = unloaded::add(&bench.deployment, arguments.rounds).await?;
        }
        bench.deployment.start_all().await;
        Ok(bench)
    }

    fn cases(&self) -> impl Iterator<Item = &'static Case> {
        let wanted = self.arguments.case.as_str();
        let is_name = cases::ALL.iter().any(|case| case.name == wanted);
        cases::ALL.iter().filter(move |case| case.name == wanted || !is_name && case.name.contains(wanted))
    }

    async fn measure(&self, case: &Case) -> anyhow::Result<Measured> {
        let (base, folder) = (self.deployment.api_base(0), self.deployment.folder());
        let once = matches!(case.requests, Requests::Unloaded);
        let connections = case.connections.unwrap_or(self.arguments.connections);
        // A check loads its guild, so such rounds are short.
        let seconds = if once { 1 } else { self.arguments.seconds };
        let requests = match case.requests {
            Requests::Each(call) => {
                vec![load::requests(call, &self.deployment.fixture, self.arguments.keys)]
            }
            Requests::Unloaded => self.unloaded.clone(),
        };
        let mut script = wrk::script(folder, &requests[0])?;
        let ceiling = Ceiling::start(folder, &base, requests[0].last().map_or("", String::as_str)).await?;
        let product = self.deployment.roles().apis[0].process.id();
        let (began, mut warm) = (Instant::now(), 0.0);
        // Every guild and key is in memory, the first use of each key is noted, and every connection of a pool is open.
        while !once && (warm < float(requests[0].len()) || began.elapsed() < SETTLES) {
            warm += wrk::run(&script, &base, connections, 1)?.requests.max(1.0);
        }
        usage::idle(product).await?;
        let (mut ours, mut bare, mut floors) = (Vec::new(), Vec::new(), Vec::new());
        for requests in requests.iter().cycle().take(self.arguments.rounds) {
            if once {
                let other = wrk::script(folder, &unloaded::other_calls(requests))?;
                wrk::run(&other, &base, connections, unloaded::KEYS_LOAD_WITHIN)?;
                script = wrk::script(folder, requests)?;
            }
            let own = used(product, || wrk::run(&script, &base, connections, seconds))?;
            anyhow::ensure!(!once || own.requests < float(unloaded::GUILDS), "too few unloaded guilds");
            ours.push(own);
            let theirs = ceiling.process.id();
            bare.push(used(theirs, || wrk::run(&script, &ceiling.base, connections, seconds))?);
            for target in case.targets {
                if let Target::Floor(floor, _) = target {
                    floors.extend(self.ground.measure(*floor, connections, self.arguments.seconds).await?);
                }
            }
        }
        floors.sort_by(f64::total_cmp);
        Ok(Measured {
            name: case.name,
            targets: case.targets,
            product: Round::median(&ours),
            ceiling: Round::median(&bare),
            floor: floors.get(floors.len() / 2).copied(),
        })
    }
}

/// The load with what it cost this process.
fn used(process: u32, load: impl FnOnce() -> anyhow::Result<Round>) -> anyhow::Result<Round> {
    let before = Usage::of(process)?;
    let mut round = load()?;
    let after = Usage::of(process)?;
    round.cpu_micros = after.cpu_since(&before) / round.requests.max(1.0);
    round.memory_mib = after.memory_mib;
    Ok(round)
}
