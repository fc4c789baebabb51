//! The chaos test: calls with countable effects, while processes and the broker are killed.
//!
//! Callers make one call each for another member or submission, under a separate `Idempotency-Key`, as a careful game
//! server does, and repeat it with the same key after a broken connection or a 5xx. Meanwhile processes and the broker
//! are killed with SIGKILL and restarted as by a supervisor; Redis stalls, and the wall clock of one worker can be off.
//! At the end `judge` counts the effects on the simulated platform and compares them with the calls; the job table's
//! own state is the weakest evidence.
//!
//! # Counts
//! - **attempted**: calls made. **accepted**: those with a 2xx, also for a repeat. **refused**: another 4xx.
//!   **unknown**: neither, within the caller's timeout; such a call cannot be lost, because nothing was promised, but
//!   its effect can be doubled, and is checked too.
//! - **finished**: accepted, the job succeeded, the effect exists, and the record of `Idempotency-Key` names that job.
//!   **lost**: accepted, and one of these is missing.
//! - **doubled**: effects that happened twice: a member who needed one change was changed a second time, a ticket has
//!   a second channel, a call has a second job, or a second audit entry for its request or its effect.
//! - **unasked**: jobs and channels that belong to no call.
//! - **repeated**: updates without a change. Harmless and allowed: after a worker dies between an effect and
//!   its commit, the next run repeats it. A sync reads the member first, so it repeats an update only if two of its
//!   runs overlap; giving a role on request does not read, and repeats the call.
//! - **unrecorded**: effects without an audit entry for the effect, for example of a run that died before it could
//!   commit the entry, followed by one that found no difference.
//!
//! Lost, doubled, unasked, unrecorded, refused, and processes that ended without being killed must be 0.

mod caller;
mod calls;
mod faults;
mod judge;
mod plan;
mod report;
mod rows;
mod skew;
mod supervisor;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;

pub use plan::Plan;
pub use report::Report;

use caller::{Balancer, Load};
use calls::Calls;
use faults::{FaultInjector, FaultSchedule, PrivateServers};
use report::CallCounts;
use supervisor::Supervisor;
use testkit::{Deployment, Mode, Servers, Setup};

/// Timeout after the last call without any job ending; the remaining jobs count as lost.
const STANDSTILL: Duration = Duration::from_secs(180);

/// Starts a deployment, makes all calls under faults, waits until every job has ended, and judges.
pub async fn run(plan: &Plan) -> anyhow::Result<Report> {
    let seed = plan.seed.unwrap_or_else(rand::random);
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let calls = Calls::draw(plan, &mut rng);
    let servers = PrivateServers::start(plan).await?;
    let deployment = deployment(plan, &calls, servers.as_ref()).await;
    let plan = Plan { seed: Some(seed), ..plan.clone() };
    let report = run_with_faults(plan, &deployment, calls, servers.as_ref(), &mut rng).await;
    // Dropping them ends them.
    drop(servers);
    report
}

async fn run_with_faults(
    plan: Plan,
    deployment: &Deployment,
    calls: Calls,
    servers: Option<&PrivateServers>,
    rng: &mut StdRng,
) -> anyhow::Result<Report> {
    let balancer = Arc::new(Balancer::default());
    let mut supervisor = Supervisor::start(deployment, &plan, &balancer).await?;
    let schedule = FaultSchedule::draw(&plan, rng);
    println!("{} calls, {} at a time", calls.list.len(), plan.callers);
    let began = Instant::now();
    let list = Arc::new(calls.list);
    let load = Load::start(&list, &balancer, plan.callers);
    let injector = FaultInjector::new(&mut supervisor, servers, rng);
    let faults = schedule.inject(injector, &load, list.len()).await?;
    let results = load.results().await?;
    let answered_after = began.elapsed();
    println!("{} calls answered after {answered_after:.1?}", results.len());
    supervisor.until_all_are_up().await;
    rows::until_over(deployment, STANDSTILL).await?;
    let over_after = began.elapsed();
    let verdict = judge::judge(deployment, &list, &results).await?;
    let (calls, ended_by_themselves) = (CallCounts::of(&results), supervisor.ended_by_themselves());
    Ok(Report { plan, calls, verdict, faults, ended_by_themselves, answered_after, over_after })
}

async fn deployment(plan: &Plan, calls: &Calls, private: Option<&PrivateServers>) -> Deployment {
    let mode = Mode::embedded_if(plan.embedded);
    let servers = private.map(|private| Servers {
        amqp: private.broker.url(),
        redis: private.redis.url(),
        ..Servers::from_env()
    });
    let setup = Setup { servers, ..Setup::new(mode).latency_ms(plan.latency_ms) };
    let deployment = Deployment::seeded_with(setup, calls.fixture(), &calls.fixture_file()).await;
    deployment.wait_for_simulator().await;
    deployment
}
