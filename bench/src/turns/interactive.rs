//! Twenty guilds' bulk beside more interactive calls than the platform permits: does bulk keep its share, and each
//! guild its part of that share?

use std::time::{Duration, Instant};

use entities::{ChatId, GuildId};
use platforms::{CallContext, Platforms};
use runtime::{PlatformConfig, PlatformRate, Redis};

use super::arguments::Arguments;
use crate::figures::{Figures, PlatformStats, jain, percentile};
use testkit::{Deployment, Guild, Mode};

const CALLS_A_SECOND: u32 = 60;
const BULK: &str = "PUT /guilds/:guild/members/:user/roles/:role";
const INTERACTIVE: &str = "GET /guilds/:guild/members/:user";

pub(super) async fn measure(arguments: &Arguments, length: Duration, figures: &mut Figures) {
    // At a quarter of the pace no guild runs out of work.
    let share = usize::try_from(length.as_secs()).unwrap_or(600) * 25 / arguments.guilds + 100;
    let deployment = Deployment::start(arguments.limited(&vec![share; arguments.guilds], "fast")).await;
    assert_eq!(
        deployment.mode(),
        Mode::Distributed,
        "the calls share their pace with the workers through Redis"
    );
    let mut jobs = Vec::new();
    for guild in &deployment.fixture.guilds {
        jobs.push(deployment.begin_sync_all(guild).await);
    }
    let planned = Duration::from_secs(600);
    for guild in &deployment.fixture.guilds {
        testkit::eventually("every guild writes", planned, async || {
            (deployment.simulator.updates_of(guild).await > 0).then_some(())
        })
        .await;
    }
    let platforms = clients(&deployment).await;
    deployment.simulator.reset_stats().await;
    call(&deployment, &platforms, length).await;
    judge(&deployment, figures, length).await;
    for (guild, job) in deployment.fixture.guilds.iter().zip(&jobs) {
        deployment.api_of(guild).delete(&format!("/jobs/{job}")).await.ok();
    }
    deployment.close().await;
}

/// Clients beside the workers', paced together with them.
async fn clients(deployment: &Deployment) -> Platforms {
    let url = deployment.variable("GUILDHALL_REDIS_URL").unwrap();
    let redis = Redis::connect(url, deployment.prefix()).await.unwrap();
    let config = PlatformConfig {
        chat_api_url: Some(deployment.simulator.base.clone()),
        chat_token: Some("token".into()),
        play_api_url: Some(deployment.simulator.base.clone()),
        play_key: Some("key".into()),
        chat_rate: "50".parse().unwrap(),
        play_rate: PlatformRate::Off,
    };
    Platforms::new(&config, Some(&redis)).unwrap()
}

/// One call each interval, whether or not earlier ones are answered.
async fn call(deployment: &Deployment, platforms: &Platforms, length: Duration) {
    let begun = Instant::now();
    let mut number = 0;
    while begun.elapsed() < length {
        let guild = &deployment.fixture.guilds[number as usize % deployment.fixture.guilds.len()];
        let context = CallContext::interactive(guild.id.parse::<GuildId>().unwrap());
        let user = guild.members[0].chat.parse::<ChatId>().unwrap();
        let chat = platforms.chat.clone();
        tokio::spawn(async move { chat.member(context, user).await.is_ok() });
        number += 1;
        let due = Duration::from_secs(1) * number / CALLS_A_SECOND;
        tokio::time::sleep(due.saturating_sub(begun.elapsed())).await;
    }
}

async fn judge(deployment: &Deployment, figures: &mut Figures, length: Duration) {
    let stats = PlatformStats::read(deployment).await;
    let (bulk, interactive) = (stats.responses(BULK), stats.responses(INTERACTIVE));
    let (guilds, seconds) = (&deployment.fixture.guilds, length.as_secs_f64());
    let updates = |guild: &Guild| stats.0["updates_by_guild"][guild.id.as_str()].as_f64().unwrap_or(0.0);
    let shares: Vec<f64> = guilds.iter().map(updates).collect();
    figures.heading(&format!(
        "{} guilds' bulk beside {CALLS_A_SECOND} interactive calls a second, {seconds} s",
        guilds.len()
    ));
    figures.report("bulk calls a second", bulk / seconds);
    figures.report("interactive calls a second", interactive / seconds);
    figures.at_least("bulk's part of both", bulk / (bulk + interactive), 0.2);
    figures.at_least("Jain's index over the guilds' bulk", jain(&shares), 0.95);
    figures.report("least of a guild", percentile(&shares, 0));
    figures.report("most of a guild", percentile(&shares, 100));
    stats.check_limits(figures);
}
