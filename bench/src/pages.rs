//! Pages of the console over a large guild: bytes, and the time to the first byte.

use std::time::Instant;

use testkit::{Deployment, Mode, Setup};

use crate::figures::{Figures, float, percentile};
use crate::live_dashboard::sign_in;

const BYTES_MAX: f64 = 100_000.0;
const FIRST_BYTE_MS: f64 = 50.0;
/// Below the guild. `{part}` is a part of a name that few members have.
const PAGES: [&str; 18] = [
    "",
    "/members",
    "/members?sort=-linked",
    "/members?q={part}",
    "/find?q={part}",
    "/members/{member}",
    "/bindings",
    "/sync",
    "/moderation",
    "/moderation/bans?state=all",
    "/shield",
    "/staff",
    "/staff/leaderboard",
    "/servers",
    "/audit",
    "/jobs",
    "/keys",
    "/settings",
];

/// Measure pages of the console over a guild of many members
///
/// Exits with 1 if a page has more than 100 kB, or the median time to its first byte exceeds 50 ms.
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    #[arg(long, default_value_t = 100_000)]
    members: usize,
    /// Requests of each page
    #[arg(long, default_value_t = 15)]
    requests: usize,
}

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let setup = Setup::new(Mode::embedded_if(arguments.embedded)).sizes(&[arguments.members]);
    let deployment = Deployment::start(setup).await;
    let guild = deployment.guild();
    let (cookie, http) = (sign_in(&deployment, guild).await?, reqwest::Client::builder().no_proxy().build()?);
    let rare = guild.members.last().map(|member| member.name.clone()).unwrap_or_default();
    let mut figures = Figures::default();
    for page in PAGES {
        let page = page.replace("{part}", &rare[2..]).replace("{member}", &guild.members[1].chat);
        let address = format!("{}/console/guilds/{}{page}", deployment.api_base(0), guild.id);
        let (mut took, mut bytes) = (Vec::new(), 0);
        for _ in 0..arguments.requests {
            let begun = Instant::now();
            let answer = http.get(&address).header("cookie", &cookie).send().await?.error_for_status()?;
            took.push(begun.elapsed().as_secs_f64() * 1_000.0);
            bytes = answer.bytes().await?.len();
        }
        figures.heading(if page.is_empty() { "overview" } else { &page });
        figures.at_most("bytes", float(bytes), BYTES_MAX);
        figures.at_most("ms to the first byte, median", percentile(&took, 50), FIRST_BYTE_MS);
        figures.report("ms to the first byte, p95", percentile(&took, 95));
    }
    Ok(figures.conclude())
}
