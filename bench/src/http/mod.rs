//! HTTP endpoints that game servers call, under `wrk` over thousands of keys, in turns with a ceiling: bare warp that
//! answers with the same bytes. Each figure is the median of the rounds.

pub(crate) mod cases;
mod ceiling;
pub(crate) mod usage;
mod wrk;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use cases::Case;
use testkit::{Deployment, Fixture, Mode, Process, Setup, http_client};
use usage::Usage;
use wrk::Round;

/// Measure requests a second, latency, CPU and memory of the endpoints that game servers call; needs wrk
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Only cases whose name contains this
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
    /// Guilds, each with 100 keys
    #[arg(long, default_value_t = 20)]
    guilds: usize,
    /// Linked members of each guild
    #[arg(long, default_value_t = 500)]
    members: usize,
    /// Bans of each guild
    #[arg(long, default_value_t = 200)]
    bans: usize,
}

/// Serve the ceiling; started by `http`
#[derive(clap::Args)]
pub struct CeilingArguments {
    /// File with the body of every answer
    body: std::path::PathBuf,
    listen: std::net::SocketAddr,
}

pub async fn serve_ceiling(arguments: &CeilingArguments) -> anyhow::Result<()> {
    ceiling::serve(&arguments.body, arguments.listen).await
}

pub async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let fixture = Fixture::new(arguments.guilds, arguments.members);
    let file = cases::load(&fixture, arguments.bans);
    let setup = Setup::new(Mode::embedded_if(arguments.embedded)).env("RUST_LOG", "warn");
    let deployment = Deployment::seeded_with(setup, fixture, &file).await;
    deployment.execute(cases::UNLIMITED).await;
    deployment.start_all().await;
    println!("{:<20} {}", "", Round::HEADINGS);
    for case in cases::ALL.iter().filter(|case| case.name.contains(&arguments.case)) {
        measure(arguments, &deployment, case).await?;
    }
    deployment.close().await;
    Ok(())
}

async fn measure(arguments: &Arguments, deployment: &Deployment, case: &Case) -> anyhow::Result<()> {
    let requests = case.requests(&deployment.fixture);
    let script = wrk::script(deployment.folder(), &requests)?;
    let base = deployment.api_base(0);
    let ceiling = Ceiling::start(deployment.folder(), &base, &requests[0]).await?;
    let product = deployment.roles().apis[0].process.id();
    let load = |base: &str, process: u32, seconds: u64| {
        let before = Usage::of(process)?;
        let mut round = wrk::run(&script, base, arguments.connections, seconds)?;
        round.cpu_micros = Usage::of(process)?.cpu_since(&before) / round.requests.max(1.0);
        round.memory_mib = Usage::of(process)?.memory_mib;
        anyhow::Ok(round)
    };
    // Every guild is in memory, and every connection of a pool is open.
    load(&base, product, 1)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..arguments.rounds {
        ours.push(load(&base, product, arguments.seconds)?);
        bare.push(load(&ceiling.base, ceiling.process.id(), arguments.seconds)?);
    }
    let (ours, bare) = (Round::median(&ours), Round::median(&bare));
    println!("{:<20} {ours}  {:.2} of the ceiling", case.name, ours.rate / bare.rate);
    println!("{:<20} {bare}", "  ceiling");
    Ok(())
}

struct Ceiling {
    process: Process,
    base: String,
}

impl Ceiling {
    /// Answers what the product answers to this request.
    async fn start(folder: &Path, product: &str, request: &str) -> anyhow::Result<Self> {
        let body = wrk::answer(product, request).await?;
        let file = folder.join("ceiling.json");
        std::fs::write(&file, body)?;
        let listen = testkit::free_address();
        let file = file.to_str().context("a path that is no text")?.to_owned();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["http-ceiling", &file, &listen]);
        let process = Process::spawn_command("ceiling", command, folder);
        let base = format!("http://{listen}");
        let reachable = async || http_client().get(&base).send().await.ok().map(drop);
        testkit::eventually("the ceiling answers", Duration::from_secs(10), reachable).await;
        Ok(Self { process, base })
    }
}
