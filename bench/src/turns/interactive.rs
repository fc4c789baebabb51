//! Twenty guilds' bulk beside more interactive calls than the platform permits: does bulk keep its share, and each
//! guild its part of that share?

use std::time::{Duration, Instant};

use entities::{ChatId, GuildId};
use platforms::{CallContext, Platforms};
use runtime::{PlatformConfig, PlatformRate, Redis};

use super::arguments::Arguments;
use crate::figures::{Figures, Target, float, jain};
use testkit::{Deployment, Mode};

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
    let named =
        |name: &str| deployment.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let redis = Redis::connect(named("GUILDHALL_REDIS_URL").unwrap(), deployment.prefix()).await.unwrap();
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
    let stats = deployment.simulator.stats().await;
    let answered = |route: &str| -> f64 {
        let answers = stats["requests"][route].as_object().into_iter().flatten();
        answers.filter_map(|(_, count)| count.as_f64()).sum()
    };
    let (bulk, interactive) = (answered(BULK), answered(INTERACTIVE));
    let guilds = &deployment.fixture.guilds;
    let of = |id: &str| stats["updates_by_guild"][id].as_f64().unwrap_or(0.0);
    let shares: Vec<f64> = guilds.iter().map(|guild| of(&guild.id)).collect();
    figures.part(&format!(
        "{} guilds' bulk beside {CALLS_A_SECOND} interactive calls a second, {} s",
        guilds.len(),
        length.as_secs()
    ));
    figures.tell("bulk calls a second", bulk / length.as_secs_f64());
    figures.tell("interactive calls a second", interactive / length.as_secs_f64());
    figures.check("bulk's part of both", bulk / (bulk + interactive), Target::AtLeast(0.2));
    figures.check("Jain's index over the guilds' bulk", jain(&shares), Target::AtLeast(0.95));
    figures.tell("least of a guild", shares.iter().copied().fold(f64::MAX, f64::min));
    figures.tell("most of a guild", shares.iter().copied().fold(0.0, f64::max));
    figures.check(
        "most chat requests in any second",
        stats["max_per_second"].as_f64().unwrap_or(99.0),
        Target::AtMost(50.0),
    );
    figures.check(
        "refused for their rate",
        float(usize::try_from(stats["rate_limited"].as_u64().unwrap_or(99)).unwrap_or(99)),
        Target::AtMost(0.0),
    );
}
