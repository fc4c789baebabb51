//! One guild floods the queue with single syncs: when do the jobs of other guilds start?

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::figures::{Figures, Target, float, percentile};
use crate::turns::Singles;
use testkit::{Api, Deployment, Fixture, Guild, Mode, Setup, key_text};

/// One guild queues 1,200 single syncs within 5 s, with 40 keys: single syncs of other guilds still start within a
/// second (p99). The chat platform's global limit is kept (simulator profile `fast`). Exits with 1 when that is missed.
///
/// Servers come from deploy/services; the guildhall beside this program is measured.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// One `serve` process on SQLite instead of the processes on Postgres, RabbitMQ and Redis
    #[arg(long)]
    pub embedded: bool,
    /// Processes of each role
    #[arg(long, default_value_t = 2)]
    pub processes: usize,
    /// Single syncs of the other guilds, from the beginning of the flood on
    #[arg(long, default_value_t = 240)]
    pub singles: usize,
    /// Between two of them, milliseconds
    #[arg(long, default_value_t = 120)]
    pub each_ms: u64,
    /// How late the platforms answer, milliseconds
    #[arg(long, default_value_t = 50)]
    pub latency_ms: u32,
}

const FLOOD: usize = 1_200;
const KEYS: usize = 40;
const WITHIN: Duration = Duration::from_secs(5);
const OTHERS: usize = 6;

/// True if the target is met.
pub async fn run(arguments: &Arguments) -> bool {
    let deployment = deployment(arguments).await;
    let (flooding, others) = (&deployment.fixture.guilds[0], &deployment.fixture.guilds[1..]);
    let mut singles = Singles::new(&deployment, others, Duration::from_millis(arguments.each_ms));
    let (took, waits) = tokio::join!(flood(&deployment, flooding), singles.run(arguments.singles));
    let mut figures = Figures::default();
    figures.part(&format!("{FLOOD} single syncs of one guild were queued within {took:.1?}; other guilds:"));
    waits.tell(&mut figures);
    figures.check("of them started", float(waits.started().len()), Target::AtLeast(float(arguments.singles)));
    let p99 = percentile(waits.started(), 99);
    figures.check("commit to start, ms, p99", p99, Target::AtMost(1_000.0));
    deployment.close().await;
    figures.conclude()
}

async fn deployment(arguments: &Arguments) -> Deployment {
    let mode = if arguments.embedded { Mode::Embedded } else { Mode::Distributed };
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
    let deployment = Deployment::prepare_with(setup, fixture, &file).await;
    deployment.command(&["seed", "fixture.json"]).await.succeeded();
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
