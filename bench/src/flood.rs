//! One guild floods the queue with single syncs: when do the jobs of other guilds start?

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::figures::Figures;
use crate::turns::Singles;
use testkit::{Api, Deployment, Fixture, Guild, Mode, Setup, key_text};

/// Measure when single syncs start while another guild floods the queue
///
/// One guild queues 1,200 single syncs within 5 s, with 40 keys. Exits with 1 if the 99th percentile of the time from
/// commit to start of the other guilds' single syncs exceeds a second. The chat platform's global limit applies.
///
/// Uses the servers of deploy/services and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Measure one `serve` process on SQLite instead of processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 2)]
    processes: usize,
    /// Number of single syncs of the other guilds, from the beginning of the flood on
    #[arg(long, default_value_t = 240)]
    singles: usize,
    /// Time between two of them, milliseconds
    #[arg(long, default_value_t = 120)]
    each_ms: u64,
    /// Latency of the simulated platforms, milliseconds
    #[arg(long, default_value_t = 50)]
    latency_ms: u32,
}

const FLOOD: usize = 1_200;
const KEYS: usize = 40;
const WITHIN: Duration = Duration::from_secs(5);
const OTHERS: usize = 6;

pub async fn run(arguments: &Arguments) -> bool {
    let deployment = deployment(arguments).await;
    let (flooding, others) = (&deployment.fixture.guilds[0], &deployment.fixture.guilds[1..]);
    let mut singles = Singles::new(&deployment, others, Duration::from_millis(arguments.each_ms));
    let (took, waits) = tokio::join!(flood(&deployment, flooding), singles.run(arguments.singles));
    let mut figures = Figures::default();
    figures
        .heading(&format!("{FLOOD} single syncs of one guild were queued within {took:.1?}; other guilds:"));
    waits.check(arguments.singles, 1_000.0, &mut figures);
    figures.conclude()
}

async fn deployment(arguments: &Arguments) -> Deployment {
    let mode = Mode::embedded_if(arguments.embedded);
    let setup =
        Setup::new(mode).latency_ms(arguments.latency_ms).processes(arguments.processes).paced("fast");
    let mut sizes = vec![FLOOD];
    sizes.extend([arguments.singles.div_ceil(OTHERS); OTHERS]);
    let fixture = Fixture::differing(&sizes);
    let mut file = fixture.json();
    let owner = &fixture.guilds[0].members[0].chat;
    let keys = (0..KEYS).map(|number| {
        let name = key_name(number);
        json!({ "text": key_text(0, &name), "name": name, "owner_id": owner })
    });
    file["guilds"][0]["keys"] = keys.collect();
    let deployment = Deployment::seeded_with(setup, fixture, &file).await;
    deployment.start_all().await;
    deployment
}

fn key_name(number: usize) -> String {
    format!("flood {number}")
}

/// Queues all syncs, spread evenly; returns the time until they were queued.
async fn flood(deployment: &Deployment, guild: &Guild) -> Duration {
    let base = deployment.api_of(guild).without("x-api-key").header("prefer", "respond-async");
    let keys: Vec<Api> = (0..KEYS).map(|number| base.key(&key_text(0, &key_name(number)))).collect();
    let (began, members) = (Instant::now(), u32::try_from(FLOOD).unwrap_or(u32::MAX));
    let calls = guild.members.iter().zip(0_u32..).map(|(member, number)| {
        let api = &keys[number as usize % KEYS];
        async move {
            tokio::time::sleep((WITHIN / members * number).saturating_sub(began.elapsed())).await;
            let body = json!({ "guild_id": guild.id, "user_id": member.chat });
            let answer = api.post("/interactions/sync", body).await;
            assert_eq!(answer.status, 202, "{answer}");
        }
    });
    join_all(calls).await;
    began.elapsed()
}
