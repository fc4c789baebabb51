//! The chaos test: calls whose effects can be counted, while processes and the broker are killed.
//!
//! Callers as careful as a game server ought to be make one call each for another member or submission, under an
//! `Idempotency-Key` of its own, and repeat it with the same key while the connection breaks or a 5xx comes. Meanwhile
//! processes are killed with SIGKILL and started again as a supervisor would, and so is the broker; Redis stalls, and
//! the wall clock of one worker can be off. When all is over,
//! `judge` counts the effects where they happened, on the simulated platform, and compares them with the calls; what
//! the job table says about itself is the least of the evidence.
//!
//! # What the numbers mean
//! - **attempted**: calls made. **accepted**: those that got a 2xx, be it for a repeat. **refused**: another 4xx.
//!   **unknown**: neither, within the caller's patience; nothing was promised, so such a call cannot be lost, but its
//!   effect can be doubled, and is looked at all the same.
//! - **finished**: accepted, the job succeeded, the effect is there, and the record of `Idempotency-Key` names that job.
//!   **lost**: accepted, and any of that is not so.
//! - **doubled**: effects that took place twice: a member who needed one change was changed a second time, a ticket has
//!   a second channel, a call has a second job, or a second audit entry that it was asked for or done.
//! - **unasked**: jobs and channels that belong to no call.
//! - **repeated**: updates that set what was set already. Harmless and allowed: a worker that dies between an effect and
//!   its commit is followed by another one. A sync reads the member first, so it repeats an update only where two runs
//!   of it overlap; giving a role by hand does not read, and says the same thing again.
//! - **unrecorded**: effects without an audit entry of their having been done, such as of a run that died before it could
//!   commit the entry, and was followed by one that found nothing to do.
//!
//! Lost, doubled, unasked, unrecorded, refused, and processes that ended without being killed must be 0.

mod balancer;
mod caller;
mod calls;
mod judge;
mod kills;
mod plan;
mod report;
mod rows;
mod servers;
mod skew;
mod supervisor;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rand::SeedableRng;
use rand::rngs::StdRng;

pub use plan::Plan;
pub use report::Report;

use balancer::Balancer;
use calls::Calls;
use kills::Kills;
use servers::PrivateServers;
use supervisor::Supervisor;
use testkit::{Deployment, Mode, Servers, Setup};

/// How long jobs may take after the last call, without any of them ending, until the rest counts as lost.
const STANDSTILL: Duration = Duration::from_secs(180);

/// Starts a deployment, makes all calls under fire, waits until every job is over, and judges.
pub async fn run(plan: &Plan) -> anyhow::Result<Report> {
    let seed = plan.seed.unwrap_or_else(rand::random);
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let calls = Calls::draw(plan, &mut rng);
    let servers = PrivateServers::start(plan).await?;
    let deployment = deployment(plan, &calls, servers.as_ref()).await;
    let report = under_fire(plan, &deployment, (calls, servers.as_ref()), &mut rng).await;
    deployment.close().await;
    // Dropped, they end.
    drop(servers);
    Ok(Report { seed, ..report? })
}

async fn under_fire(
    plan: &Plan,
    deployment: &Deployment,
    (calls, servers): (Calls, Option<&PrivateServers>),
    rng: &mut StdRng,
) -> anyhow::Result<Report> {
    let balancer = Arc::new(Balancer::new());
    let mut supervisor = Supervisor::start(deployment, plan, &balancer).await?;
    let kills = Kills::draw(plan, rng);
    let answered = Arc::new(AtomicUsize::new(0));
    println!("{} calls, {} at a time", calls.list.len(), plan.callers);
    let began = Instant::now();
    let list = Arc::new(calls.list);
    let calling = caller::make_all(&list, (&balancer, plan.callers), &answered);
    let calling = tokio::spawn(calling);
    let mut strikes = kills.strike(&mut supervisor, (&answered, &calling), servers, rng).await?;
    let told = calling.await.context("the callers broke off")?;
    strikes.answered_after = began.elapsed();
    println!("{} calls answered after {:.1?}", answered.load(Ordering::Relaxed), began.elapsed());
    supervisor.until_all_are_up().await;
    rows::until_over(deployment, STANDSTILL).await?;
    strikes.over_after = began.elapsed();
    let verdict = judge::judge(deployment, (&list, &told)).await?;
    Ok(Report::new(plan, verdict, (&told, strikes), supervisor.ended_by_themselves()))
}

async fn deployment(plan: &Plan, calls: &Calls, private: Option<&PrivateServers>) -> Deployment {
    let mode = if plan.embedded { Mode::Embedded } else { Mode::Distributed };
    let servers = private.map(|private| Servers {
        amqp: private.broker.url(),
        redis: private.redis.url(),
        ..Servers::from_env()
    });
    let setup = Setup { servers, ..Setup::new(mode).latency_ms(plan.latency_ms) };
    let deployment = Deployment::prepare_with(setup, calls.fixture(), &calls.fixture_file()).await;
    deployment.command(&["seed", "fixture.json"]).await.succeeded();
    deployment.wait_for_simulator().await;
    deployment
}
