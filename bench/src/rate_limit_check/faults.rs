//! The requests after a refusal, a pause, a failure; and a second sync, which must write nothing.

use std::time::Duration;

use serde_json::{Value, json};

use super::Arguments;
use crate::figures::{Figures, PlatformStats, float};
use testkit::{Deployment, Guild, JobRow};

const MEMBERS: usize = 300;
const LONG: Duration = Duration::from_secs(600);
const UPDATE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
/// The pause of a 429, in seconds.
const PAUSE: f64 = 4.0;

pub(super) async fn measure(arguments: &Arguments, figures: &mut Figures) {
    let deployment = Deployment::start(arguments.setup(&[MEMBERS; 6], 50)).await;
    let guilds = &deployment.fixture.guilds;
    forbidden(&deployment, &guilds[0], figures).await;
    permanent_errors(&deployment, &guilds[1], figures).await;
    server_errors(&deployment, &guilds[2], figures).await;
    limited(&deployment, &guilds[3], true, figures).await;
    limited(&deployment, &guilds[4], false, figures).await;
    second_sync(&deployment, &guilds[5], figures).await;
    deployment.close().await;
}

async fn sync(deployment: &Deployment, guild: &Guild, faults: &[Value]) -> JobRow {
    deployment.simulator.reset_stats().await;
    for fault in faults {
        deployment.fault(fault.clone()).await;
    }
    deployment.sync_all(guild, LONG).await
}

fn fault(status: u16, count: u64) -> Value {
    json!({ "route": UPDATE, "status": status, "count": count })
}

async fn sent(deployment: &Deployment) -> f64 {
    PlatformStats::read(deployment).await.responses(UPDATE)
}

async fn forbidden(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.heading("every change answered 403");
    let row = sync(deployment, guild, &[fault(403, 100_000)]).await;
    deployment.clear_faults().await;
    figures.at_most("changes sent before the guild's bulk stopped", sent(deployment).await, 3.0);
    let message = row.failure().map(|failure| failure.message).unwrap_or_default();
    println!("  {message}");
    let named = guild.roles.iter().any(|role| message.contains(role.as_str()));
    figures.at_least("the error names the role (1: yes)", truth(named), 1.0);
}

async fn permanent_errors(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.heading("ten changes answered 404, two 403, two 400, not in a row");
    let faults = [fault(404, 10), fault(403, 1), fault(400, 1), fault(403, 1), fault(400, 1)];
    let row = sync(deployment, guild, &faults).await;
    // One call per member: calls that cannot succeed are not retried.
    figures.at_most("changes sent", sent(deployment).await, float(MEMBERS));
    figures.at_least("members listed as failed", number(row.progress_failed), 14.0);
    figures.at_least("the job ended (1: yes)", truth(row.finished_at.is_some()), 1.0);
}

async fn server_errors(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.heading("five changes answered 500");
    let row = sync(deployment, guild, &[fault(500, 5)]).await;
    check_complete(deployment, guild, &row, figures).await;
    figures.at_most("changes sent", sent(deployment).await, float(MEMBERS + 5));
}

async fn limited(deployment: &Deployment, guild: &Guild, global: bool, figures: &mut Figures) {
    figures.heading(&format!("a 429 with Retry-After, {}", if global { "global" } else { "of one bucket" }));
    let fault = json!({ "route": UPDATE, "status": 429, "retry_after": PAUSE, "global": global });
    let row = sync(deployment, guild, &[fault]).await;
    let stats = PlatformStats::read(deployment).await;
    figures.at_most("requests during the pause", stats.number("ignored_pauses"), 0.0);
    figures.at_most("changes sent", stats.responses(UPDATE), float(MEMBERS + 1));
    check_complete(deployment, guild, &row, figures).await;
}

async fn check_complete(deployment: &Deployment, guild: &Guild, row: &JobRow, figures: &mut Figures) {
    let wrong = deployment.simulator.wrong(guild).await;
    figures.at_most("members wrong afterwards", float(wrong), 0.0);
    figures.at_most("members listed as failed", number(row.progress_failed), 0.0);
}

async fn second_sync(deployment: &Deployment, guild: &Guild, figures: &mut Figures) {
    figures.heading("a sync, and a second one");
    sync(deployment, guild, &[]).await;
    figures.at_most("changes sent by the first", sent(deployment).await, float(MEMBERS));
    deployment.forget_quotas().await;
    let row = sync(deployment, guild, &[]).await;
    let stats = PlatformStats::read(deployment).await;
    figures.at_most("changes sent by the second", stats.responses(UPDATE), 0.0);
    figures.report("member pages read by the second", stats.number("page_calls"));
    figures.at_least("members found correct", number(row.progress_done), float(MEMBERS));
}

fn truth(met: bool) -> f64 {
    f64::from(u8::from(met))
}

fn number(count: i64) -> f64 {
    float(usize::try_from(count).unwrap_or(0))
}
