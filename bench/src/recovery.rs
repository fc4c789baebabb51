//! How soon jobs of a killed process continue: a worker's elsewhere, those of `serve` after its restart.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Deployment, Guild, JobRow, JobState, Mode, Setup, eventually};

use crate::figures::{Figures, float};

/// Measure how soon the jobs of a killed process run again
///
/// Kills a worker, and `serve`, while they run jobs. Exits with 1 if a worker's jobs do not run elsewhere within 20 s, or
/// those of `serve` within 2 s of its restart.
///
/// Uses the servers of deploy/services and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Number of kills of each
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
}

/// Single syncs queued before each kill.
const JOBS: usize = 12;
/// Long enough that the kill interrupts the jobs.
const LATENCY_MS: u32 = 500;
const WAIT_LIMIT: Duration = Duration::from_secs(90);

pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    for (mode, what, target) in [
        (Mode::Distributed, "a worker is killed: its jobs run elsewhere after, s", 20.0),
        (Mode::Embedded, "serve is killed and restarted: its jobs run again after, s", 2.0),
    ] {
        let setup = Setup::new(mode).sizes(&[JOBS * arguments.rounds; 2]).latency_ms(LATENCY_MS);
        let deployment = Deployment::start(setup.processes(2)).await;
        for round in 0..arguments.rounds {
            let took =
                killed(&deployment, &deployment.fixture.guilds, round * JOBS..(round + 1) * JOBS).await;
            figures.report("jobs that were running", float(took.len()));
            figures.at_most(what, took.into_iter().fold(0.0, f64::max), target);
        }
    }
    figures.conclude()
}

/// Syncs these members of each guild, and kills a process that runs such a job. Returns the seconds until each of its jobs
/// was claimed again.
pub(crate) async fn killed(deployment: &Deployment, guilds: &[Guild], members: Range<usize>) -> Vec<f64> {
    for guild in guilds {
        let api = deployment.api_of(guild).header("prefer", "respond-async");
        for member in &guild.members[members.clone()] {
            let body = json!({ "guild_id": guild.id, "user_id": member.chat });
            assert_eq!(api.post("/interactions/sync", body).await.status, 202);
        }
    }
    let victim = eventually("a job runs", WAIT_LIMIT, async || running(deployment).await.pop()).await;
    let mut lost = running(deployment).await;
    lost.retain(|row| row.worker == victim.worker);
    let since = Instant::now();
    if deployment.mode() == Mode::Embedded {
        deployment.restart_serve(async |serve| serve.kill()).await;
    } else {
        deployment.take_worker_of(&victim).process.kill();
        deployment.add_worker().await;
    }
    let took = claimed_again(deployment, &lost, since).await;
    // A second crash in a row would quarantine them.
    deployment.all_jobs_ended("sync_member", WAIT_LIMIT).await;
    took
}

async fn running(deployment: &Deployment) -> Vec<JobRow> {
    let rows = deployment.job_rows("sync_member").await;
    rows.into_iter().filter(|row| row.state == JobState::Running).collect()
}

/// A job that still ended before the kill counts as claimed.
async fn claimed_again(deployment: &Deployment, lost: &[JobRow], since: Instant) -> Vec<f64> {
    let mut took = vec![None; lost.len()];
    eventually("all jobs of the killed process run again", WAIT_LIMIT, async || {
        let rows = deployment.job_rows("sync_member").await;
        for (job, took) in lost.iter().zip(&mut took) {
            let now = rows.iter().find(|row| row.job_id == job.job_id);
            let again = now.is_some_and(|row| row.token > job.token || !row.state.is_open());
            *took = took.or_else(|| again.then(|| since.elapsed().as_secs_f64()));
        }
        took.iter().all(Option::is_some).then_some(())
    })
    .await;
    took.into_iter().flatten().collect()
}
