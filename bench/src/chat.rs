//! How long /link takes to its answer while a large guild is synced.

use std::time::Duration;

use anyhow::ensure;
use futures_util::future::join_all;
use serde_json::json;
use testkit::{Deployment, Mode, Setup};

use crate::figures::{Figures, float, percentile};

/// Measure /link by people of another guild beside a bulk sync: the 99th percentile of the time to the answer, as the
/// platform measures it, is at most 300 ms, and no answer takes 3 s
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    /// Members of the guild that is synced; half of them change
    #[arg(long, default_value_t = 20_000)]
    members: usize,
    /// People who use the command
    #[arg(long, default_value_t = 500)]
    people: usize,
    /// Of them at once
    #[arg(long, default_value_t = 5)]
    at_once: usize,
}

const MOST_MS: f64 = 300.0;
/// The platform gives up then.
const LIMIT_MS: f64 = 3_000.0;
/// A message that says that the answer comes later.
const LATER: u64 = 5;

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let setup =
        Setup::new(Mode::embedded_if(arguments.embedded)).sizes(&[arguments.members, arguments.people]);
    let deployment = Deployment::seeded(setup.renamed_half().paced("fast")).await;
    // So that each of them begins an attempt.
    deployment.execute(&format!("DELETE FROM link WHERE guild_id = {}", deployment.other_guild().id)).await;
    deployment.start_all().await;
    let mut figures = Figures::default();
    Figures::heading("alone");
    measure(&deployment, arguments).await?;
    let body = json!({});
    let job = deployment.api().post("/interactions/sync/all", body).await.ok()["job_id"].clone();
    // It is past its plan, and changes members.
    testkit::eventually("the sync changes members", Duration::from_mins(10), async || {
        (deployment.simulator.updates_of(deployment.guild()).await > 100).then_some(())
    })
    .await;
    Figures::heading("beside the sync");
    let times = measure(&deployment, arguments).await?;
    figures.at_most("99th percentile, ms", percentile(&times, 99), MOST_MS);
    figures.at_most("longest, ms", percentile(&times, 100), LIMIT_MS);
    let path = format!("/jobs/{}", job.as_str().unwrap_or_default());
    let state = deployment.api().get(&path).await.ok();
    ensure!(state["state"] != "succeeded", "the sync was over before the last command: {state}");
    Figures::report(
        "members changed meanwhile",
        number(deployment.simulator.updates_of(deployment.guild()).await),
    );
    Ok(figures.conclude())
}

/// Milliseconds of each command.
async fn measure(deployment: &Deployment, arguments: &Arguments) -> anyhow::Result<Vec<f64>> {
    let guild = deployment.other_guild();
    let (mut times, mut later) = (Vec::new(), 0);
    for people in guild.members.chunks(arguments.at_once) {
        let reports =
            people.iter().map(|member| deployment.simulator.interact(guild, &member.chat, "link", json!({})));
        for report in join_all(reports).await {
            ensure!(report["status"] == 200, "an answer: {report}");
            later += usize::from(report["answer"]["type"] == LATER);
            times.push(number(report["took_ms"].as_u64().unwrap_or(u64::MAX)));
        }
    }
    Figures::report("commands", float(times.len()));
    Figures::report("answers that come later", float(later));
    Figures::report("time to the answer, 50th percentile, ms", percentile(&times, 50));
    Figures::report("  99th percentile, ms", percentile(&times, 99));
    Ok(times)
}

#[expect(clippy::cast_precision_loss, reason = "figures of a bench are small")]
fn number(count: u64) -> f64 {
    count as f64
}
