//! The requests after a refusal, a pause, a failure; and a second sync, which must write nothing.

use std::time::Duration;

use serde_json::{Value, json};

use super::arguments::Arguments;
use crate::figures::{Figures, Target, float};
use testkit::{Deployment, Guild, JobRow};

const MEMBERS: usize = 300;
const LONG: Duration = Duration::from_secs(600);
const UPDATE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
/// The pause of a 429, in seconds.
const PAUSE: f64 = 4.0;

pub(super) async fn measure(arguments: &Arguments, figures: &mut Figures) {
    let deployment = Deployment::start(arguments.setup(&[MEMBERS; 6], 50)).await;
    let guilds = &deployment.fixture.guilds;
    refused(&deployment, &guilds[0], figures).await;
    gone(&deployment, &guilds[1], figures).await;
    broken(&deployment, &guilds[2], figures).await;
    paused(&deployment, &guilds[3], true, figures).await;
    paused(&deployment, &guilds[4], false, figures).await;
    again(&deployment, &guilds[5], figures).await;
    deployment.close().await;
}

async fn sync(deployment: &Deployment, guild: &Guild, faults: &[Value]) -> JobRow {
    deployment.simulator.reset_stats().await;
    for fault in faults {
        deployment.fault(fault.clone()).await;
    }
    let job = deployment.begin_sync_all(guild).await;
    deployment.sync_all_ended(&job, LONG).await
}

fn fault(status: u16, count: u64) -> Value {
    json!({ "route": UPDATE, "status": status, "count": count })
}

async fn sent(deployment: &Deployment) -> f64 {
    let stats = deployment.simulator.stats().await;
    let answers = stats["requests"][UPDATE].as_object().into_iter().flatten();
    answers.filter_map(|(_, count)| count.as_f64()).fold(0.0, |sum, count| sum + count)
}

fn truth(met: bool) -> f64 {
    if met { 1.0 } else { 0.0 }
}

async fn refused(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.part("every change answered 403");
    let row = sync(deployment, guild, &[fault(403, 100_000)]).await;
    deployment.clear_faults().await;
    figures.check(
        "changes sent before the guild's bulk stopped",
        sent(deployment).await,
        Target::AtMost(3.0),
    );
    let message = row.failure().map(|failure| failure.message).unwrap_or_default();
    println!("  {message}");
    let named = guild.roles.iter().any(|role| message.contains(role.as_str()));
    figures.check("the error names the role (1: yes)", truth(named), Target::AtLeast(1.0));
}

async fn gone(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.part("ten changes answered 404, two 403, two 400, not in a row");
    let mut faults = vec![fault(404, 10)];
    for status in [403, 400, 403, 400] {
        faults.push(fault(status, 1));
    }
    let row = sync(deployment, guild, &faults).await;
    // One call per member: calls that cannot succeed are not retried.
    figures.check("changes sent", sent(deployment).await, Target::AtMost(float(MEMBERS)));
    figures.check("members listed as failed", number(row.progress_failed), Target::AtLeast(14.0));
    figures.check("the job ended (1: yes)", truth(row.finished_at.is_some()), Target::AtLeast(1.0));
}

async fn broken(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.part("five changes answered 500");
    let row = sync(deployment, guild, &[fault(500, 5)]).await;
    figures.check(
        "members wrong afterwards",
        float(deployment.simulator.wrong(guild).await),
        Target::AtMost(0.0),
    );
    figures.check("members listed as failed", number(row.progress_failed), Target::AtMost(0.0));
    figures.check("changes sent", sent(deployment).await, Target::AtMost(float(MEMBERS + 5)));
}

async fn paused(deployment: &Deployment, guild: &Guild, global: bool, figures: &mut Figures) {
    figures.part(&format!("a 429 with Retry-After, {}", if global { "global" } else { "of one bucket" }));
    let limited = json!({ "route": UPDATE, "status": 429, "retry_after": PAUSE, "global": global });
    let row = sync(deployment, guild, &[limited]).await;
    let stats = deployment.simulator.stats().await;
    let ignored = stats["ignored_pauses"].as_f64().unwrap_or(9.0);
    figures.check("requests into the pause", ignored, Target::AtMost(0.0));
    figures.check("changes sent", sent(deployment).await, Target::AtMost(float(MEMBERS + 1)));
    figures.check(
        "members wrong afterwards",
        float(deployment.simulator.wrong(guild).await),
        Target::AtMost(0.0),
    );
    figures.check("members listed as failed", number(row.progress_failed), Target::AtMost(0.0));
}

async fn again(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.part("a sync, and a second one");
    sync(deployment, guild, &[]).await;
    figures.check("changes sent by the first", sent(deployment).await, Target::AtMost(float(MEMBERS)));
    deployment.forget_quotas().await;
    let row = sync(deployment, guild, &[]).await;
    let stats = deployment.simulator.stats().await;
    figures.check("changes sent by the second", sent(deployment).await, Target::AtMost(0.0));
    figures.tell("pages asked for by the second", stats["page_calls"].as_f64().unwrap_or(0.0));
    figures.check("members found right", number(row.progress_done), Target::AtLeast(float(MEMBERS)));
}

fn number(count: i64) -> f64 {
    float(usize::try_from(count).unwrap_or(0))
}
