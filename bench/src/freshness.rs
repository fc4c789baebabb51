//! How soon the answers of a process reflect a change by another process, also without Redis.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::json;
use testkit::proxy::Proxy;
use testkit::{Deployment, Fixture, http_client};

use crate::figures::{Figures, percentile};
use crate::http::load;

/// Measure how soon a change by another process takes effect; at most a second
///
/// Distributed: bans by one API process, checked at another, with Redis and without. Embedded: keys that the
/// command line revokes beside `serve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Changes of each measurement
    #[arg(long, default_value_t = 200)]
    changes: usize,
}

const FELT_WITHIN_MS: f64 = 1_000.0;
const LONG: Duration = Duration::from_secs(30);

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let mut figures = Figures::default();
    let deployment =
        load::deployment(arguments.embedded, Fixture::new(2, 20), load::Each::bans(100), "error").await;
    if arguments.embedded {
        deployment.start_all().await;
        revocations(arguments, &deployment, &mut figures).await?;
    } else {
        bans(arguments, &deployment, &mut figures).await?;
    }
    Ok(figures.conclude())
}

async fn revocations(
    arguments: &Arguments,
    deployment: &Deployment,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let mut took = Vec::new();
    for n in 0..arguments.changes.min(load::KEYS) {
        let key = load::text(0, n);
        anyhow::ensure!(status(deployment, 0, &key).await? == 200, "key {n} is refused before it is revoked");
        deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
        // One address gets 30 refusals a minute as 401, the others as 429.
        took.push(until(async || Ok(status(deployment, 0, &key).await? != 200)).await?);
    }
    report(figures, "a key that the command line revoked is refused, ms", &took);
    Ok(())
}

async fn bans(arguments: &Arguments, deployment: &Deployment, figures: &mut Figures) -> anyhow::Result<()> {
    let mut redis = deployment.env.iter().filter(|(name, _)| name == "GUILDHALL_REDIS_URL");
    let redis = redis.next().context("no Redis")?.1.clone();
    let proxy = Proxy::before(&redis)?;
    for extra in [&[][..], &[("GUILDHALL_REDIS_URL", proxy.url(&redis).as_str())]] {
        let api = deployment.spawn_with("api", extra);
        deployment.roles().apis.push(api);
    }
    deployment.wait_until_ready().await;
    ban_each(arguments, deployment, 0, figures, "a ban by another process takes effect, ms").await?;
    proxy.refuse();
    ban_each(arguments, deployment, 1, figures, "the same without Redis, ms").await
}

async fn ban_each(
    arguments: &Arguments,
    deployment: &Deployment,
    round: usize,
    figures: &mut Figures,
    what: &str,
) -> anyhow::Result<()> {
    let (guild, mut took) = (deployment.guild(), Vec::new());
    for n in 0..arguments.changes {
        let whom = 40_000_000 + round * arguments.changes + n;
        let path = format!("/moderation/{}/ban-status/{whom}", guild.id);
        let key = load::text(0, n % load::KEYS);
        let banned = async || {
            let url = format!("{}{path}", deployment.api_base(1));
            let answer = http_client().get(url).header("x-api-key", &key).send().await?.error_for_status()?;
            Ok(answer.json::<serde_json::Value>().await?["data"]["banned"] == true)
        };
        anyhow::ensure!(!banned().await?, "banned before");
        let url = format!("{}/moderation/{}/play/ban", deployment.api_base(0), guild.id);
        let body = json!({ "identifier": whom.to_string(), "reason": "exploiting", "moderator_id": guild.members[0].chat });
        let request = http_client().post(url).header("x-api-key", &key).json(&body);
        request.send().await?.error_for_status()?;
        took.push(until(banned).await?);
    }
    report(figures, what, &took);
    Ok(())
}

async fn status(deployment: &Deployment, api: usize, key: &str) -> anyhow::Result<u16> {
    let url = format!("{}/moderation/{}/ban-status/77", deployment.api_base(api), deployment.guild().id);
    Ok(http_client().get(url).header("x-api-key", key).send().await?.status().as_u16())
}

/// Milliseconds until it is true.
async fn until(mut reached: impl AsyncFnMut() -> anyhow::Result<bool>) -> anyhow::Result<f64> {
    let began = Instant::now();
    while !reached().await? {
        anyhow::ensure!(began.elapsed() < LONG, "a change takes no effect");
    }
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

fn report(figures: &mut Figures, what: &str, took: &[f64]) {
    figures.heading(what);
    figures.report("p50", percentile(took, 50));
    figures.at_most("p99", percentile(took, 99), FELT_WITHIN_MS);
    figures.report("most", percentile(took, 100));
}
