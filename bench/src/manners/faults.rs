//! What is sent after a refusal, a pause, a failure; and that a second sync writes nothing.

use std::time::Duration;

use serde_json::{Value, json};

use super::Arguments;
use crate::figures::{Figures, Target, float};
use crate::stage::{Guild, JobRow, World};

const MEMBERS: usize = 300;
const LONG: Duration = Duration::from_secs(600);
const UPDATE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
/// Seconds that a 429 asks for.
const PAUSE: f64 = 4.0;

pub(super) async fn measure(arguments: &Arguments, figures: &mut Figures) {
    let world = World::start(arguments.setup(&[MEMBERS; 6], 50)).await;
    let guilds = &world.fixture.guilds;
    refused(&world, &guilds[0], figures).await;
    gone(&world, &guilds[1], figures).await;
    broken(&world, &guilds[2], figures).await;
    paused(&world, &guilds[3], true, figures).await;
    paused(&world, &guilds[4], false, figures).await;
    again(&world, &guilds[5], figures).await;
    world.close().await;
}

async fn sync(world: &World, guild: &Guild, faults: &[Value]) -> JobRow {
    world.simulator.reset_stats().await;
    for fault in faults {
        world.simulator.fault(fault.clone()).await;
    }
    let job = world.begin_sync_all(guild).await;
    world.sync_all_ended(&job, LONG).await
}

fn fault(status: u16, count: u64) -> Value {
    json!({ "route": UPDATE, "status": status, "count": count })
}

async fn sent(world: &World) -> f64 {
    let stats = world.simulator.stats().await;
    let answers = stats["requests"][UPDATE].as_object().into_iter().flatten();
    answers.filter_map(|(_, count)| count.as_f64()).fold(0.0, |sum, count| sum + count)
}

fn truth(met: bool) -> f64 {
    if met { 1.0 } else { 0.0 }
}

async fn refused(world: &World, guild: &Guild, figures: &mut Figures) {
    figures.part("every change answered 403");
    let row = sync(world, guild, &[fault(403, 100_000)]).await;
    world.simulator.clear_faults().await;
    figures.check("changes sent before the guild's bulk stopped", sent(world).await, Target::AtMost(3.0));
    let message = row.failure().map(|failure| failure.message).unwrap_or_default();
    println!("  {message}");
    let named = guild.roles.iter().any(|role| message.contains(role.as_str()));
    figures.check("the error names the role (1: yes)", truth(named), Target::AtLeast(1.0));
}

async fn gone(world: &World, guild: &Guild, figures: &mut Figures) {
    figures.part("ten changes answered 404, two 403, two 400, not in a row");
    let mut faults = vec![fault(404, 10)];
    for status in [403, 400, 403, 400] {
        faults.push(fault(status, 1));
    }
    let row = sync(world, guild, &faults).await;
    // Each member once: nothing that cannot succeed is tried again.
    figures.check("changes sent", sent(world).await, Target::AtMost(float(MEMBERS)));
    figures.check("members listed as failed", number(row.progress_failed), Target::AtLeast(14.0));
    figures.check("the job ended (1: yes)", truth(row.finished_at.is_some()), Target::AtLeast(1.0));
}

async fn broken(world: &World, guild: &Guild, figures: &mut Figures) {
    figures.part("five changes answered 500");
    let row = sync(world, guild, &[fault(500, 5)]).await;
    figures.check("members wrong afterwards", float(world.simulator.wrong(guild).await), Target::AtMost(0.0));
    figures.check("members listed as failed", number(row.progress_failed), Target::AtMost(0.0));
    figures.check("changes sent", sent(world).await, Target::AtMost(float(MEMBERS + 5)));
}

async fn paused(world: &World, guild: &Guild, global: bool, figures: &mut Figures) {
    figures.part(&format!("a 429 with Retry-After, {}", if global { "global" } else { "of one bucket" }));
    let limited = json!({ "route": UPDATE, "status": 429, "retry_after": PAUSE, "global": global });
    let row = sync(world, guild, &[limited]).await;
    let stats = world.simulator.stats().await;
    let ignored = stats["ignored_pauses"].as_f64().unwrap_or(9.0);
    figures.check("requests into the pause", ignored, Target::AtMost(0.0));
    figures.check("changes sent", sent(world).await, Target::AtMost(float(MEMBERS + 1)));
    figures.check("members wrong afterwards", float(world.simulator.wrong(guild).await), Target::AtMost(0.0));
    figures.check("members listed as failed", number(row.progress_failed), Target::AtMost(0.0));
}

async fn again(world: &World, guild: &Guild, figures: &mut Figures) {
    figures.part("a sync, and a second one");
    sync(world, guild, &[]).await;
    figures.check("changes sent by the first", sent(world).await, Target::AtMost(float(MEMBERS)));
    world.forget_quotas().await;
    let row = sync(world, guild, &[]).await;
    let stats = world.simulator.stats().await;
    figures.check("changes sent by the second", sent(world).await, Target::AtMost(0.0));
    figures.tell("pages asked for by the second", stats["page_calls"].as_f64().unwrap_or(0.0));
    figures.check("members found right", number(row.progress_done), Target::AtLeast(float(MEMBERS)));
}

fn number(count: i64) -> f64 {
    float(usize::try_from(count).unwrap_or(0))
}
