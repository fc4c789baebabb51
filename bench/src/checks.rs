//! Ban checks at a steady rate beside a disturbance, and the same requests to a bare server: how much of a delay is
//! that of any process on this machine.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use testkit::Deployment;

use crate::connection::Connection;
use crate::http::ceiling::Ceiling;
use crate::http::load;

const CHECKS: usize = 4_000;
/// Connections of the checks.
const CHECKERS: usize = 8;
/// Of each connection.
const BETWEEN_CHECKS: Duration = Duration::from_millis(20);

/// Milliseconds of each check.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) own: Vec<f64>,
    pub(crate) bare: Vec<f64>,
}

impl Times {
    pub(crate) fn extend(&mut self, more: Self) {
        self.own.extend(more.own);
        self.bare.extend(more.bare);
    }
}

pub(crate) struct Checks {
    base: String,
    requests: Vec<String>,
    bare: Ceiling,
}

impl Checks {
    /// About all guilds of `load::deployment` but the first.
    pub(crate) async fn start(deployment: &Deployment) -> anyhow::Result<Self> {
        let base = deployment.api_base(0);
        let requests: Vec<_> = (0..CHECKS).map(|n| request(deployment, n)).collect();
        let bare = Ceiling::start(deployment.folder(), &base, &requests[0]).await?;
        Ok(Self { base, requests, bare })
    }

    /// Checks for so long, at a pace that leaves both servers mostly idle.
    pub(crate) async fn run(&self, within: Duration) -> anyhow::Result<Times> {
        let (own, bare) = (self.of(&self.base, within), self.of(&self.bare.base, within));
        let (own, bare) = tokio::try_join!(own, bare)?;
        Ok(Times { own, bare })
    }

    async fn of(&self, base: &str, within: Duration) -> anyhow::Result<Vec<f64>> {
        let until = Instant::now() + within;
        let checkers = (0..CHECKERS).map(async |first| {
            let (mut connection, mut times) = (Connection::open(base).await?, Vec::new());
            tokio::time::sleep(BETWEEN_CHECKS * u32::try_from(first)? / u32::try_from(CHECKERS)?).await;
            for request in self.requests.iter().cycle().skip(first * CHECKS / CHECKERS) {
                if Instant::now() >= until {
                    break;
                }
                let began = Instant::now();
                let (status, _) = connection.ask(request).await?;
                anyhow::ensure!(status == "200", "a check was answered {status}");
                times.push(began.elapsed().as_secs_f64() * 1e3);
                tokio::time::sleep(BETWEEN_CHECKS.saturating_sub(began.elapsed())).await;
            }
            anyhow::Ok(times)
        });
        Ok(try_join_all(checkers).await?.concat())
    }
}

fn request(deployment: &Deployment, n: usize) -> String {
    let index = 1 + n % (deployment.fixture.guilds.len() - 1);
    let guild = &deployment.fixture.guilds[index];
    let player = guild.members[n * 37 % guild.members.len()].play;
    let (id, key) = (&guild.id, load::text(index, n % load::KEYS));
    format!("GET /moderation/{id}/ban-status/{player} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n\r\n")
}
