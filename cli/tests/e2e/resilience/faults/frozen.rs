//! Workers that freeze and wake up, or are asked to stop, while they run jobs. Most of each test's time is the wait until
//! a frozen worker is declared dead, or the grace period of a stop.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::armed::{start, start_own};
use super::operation::Operation;
use testkit::{
    Api, Deployment, JobRow, JobState, Member, Mode, Running, Setup, Update, eventually, run_unstarted,
};

/// A worker without a heartbeat for 15 s is declared dead.
const RESCUED_WITHIN: Duration = Duration::from_secs(90);
const SOON: Duration = Duration::from_secs(30);
/// A worker logs this for each run that it drops.
const DROPPED: &str = "the claim is lost: dropped";
const LATENCY_MS: u32 = 500;
/// The most calls of a chunk in flight: 12 in each of two buckets (`worker/src/sync_chunk/buckets.rs`).
const IN_FLIGHT: usize = 24;

/// A worker that freezes right before it creates a channel, and during a bulk sync.
#[test]
fn a_frozen_worker_finishes_nothing_that_runs_elsewhere() {
    let setup = Setup::new(Mode::Distributed).members(300).latency_ms(LATENCY_MS);
    run_unstarted(setup, async |deployment| {
        start_own(deployment, &["api", "scheduler"]).await;
        Operation::Ticket.prepare(deployment, &deployment.api()).await;
        let worker = start(deployment, "worker", "before_effect:create_ticket=freeze@1").await;
        let bulk = deployment.api().post("/interactions/sync/all", json!({})).await.ok();
        eventually("members of the bulk sync are changed", SOON, async || {
            (deployment.member_updates().await > 0).then_some(())
        })
        .await;
        Operation::Ticket.call(deployment, &unwaiting(deployment)).await.unwrap();
        frozen(&worker).await;
        assert_eq!(states(&deployment.job_rows("sync_chunk").await), [JobState::Running]);
        assert_eq!(Operation::Ticket.effects(deployment).await, 0);

        start_own(deployment, &["worker"]).await;
        let since = Instant::now();
        succeeded(deployment, "create_ticket").await;
        println!("job of a frozen worker: done by another after {:?}", since.elapsed());
        assert_eq!(deployment.job_ended(bulk["job_id"].as_str().unwrap()).await["state"], "succeeded");
        let answer = Operation::Ticket.call(deployment, &deployment.api()).await.unwrap();
        Operation::Ticket.assert_done_once(deployment, &answer).await;
        let rows = all_rows(deployment).await;
        assert!(rows.iter().all(|row| row.attempt == 1), "{rows:?}");
        let changes = deployment.guild().changes() as u64;
        assert_eq!(deployment.member_updates().await, changes, "every change once");

        assert!(worker.process.is_frozen(), "it ended or woke up: {}", worker.process.log());
        worker.process.thaw();
        eventually("the woken worker drops both jobs", SOON, async || {
            (worker.process.log().matches(DROPPED).count() == 2).then_some(())
        })
        .await;
        Operation::Ticket.assert_done_once(deployment, &answer).await;
        assert_eq!(all_rows(deployment).await, rows, "a row was changed");
        let other = deployment.other_guild();
        let done = works_on(deployment, &worker, other.lacking()).await;
        assert_eq!(done["added_roles"], json!([other.lacking().wanted]));
        let repeated = updates_repeated_by_thaw(deployment).await;
        assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
        works_on(deployment, &worker, other.misnamed()).await;
        let updates = deployment.simulator.updates_of(deployment.guild()).await;
        assert_eq!(updates, changes + repeated, "the woken worker started a call");
    });
}

/// The number of updates after the thaw, once a later job of the woken worker has ended. A call that the worker had handed
/// to its connection, and that was not written when the process froze, is written right after the thaw, before the process can check its heartbeat. It repeats an
/// update that the other worker has made by then.
async fn updates_repeated_by_thaw(deployment: &Deployment) -> u64 {
    let mut updates = deployment.simulator.updates().await;
    updates.retain(|update| update.guild == deployment.guild().id);
    let (once, repeated) = updates.split_at(deployment.guild().changes());
    let users = |updates: &[Update]| -> HashSet<String> {
        updates.iter().map(|update| update.user.clone()).collect()
    };
    println!("calls written after the thaw: {}", repeated.len());
    assert!(repeated.len() <= IN_FLIGHT, "{repeated:?}");
    assert_eq!(users(repeated).len(), repeated.len(), "a call was repeated twice: {repeated:?}");
    assert!(users(repeated).is_subset(&users(once)), "{repeated:?}");
    repeated.len() as u64
}

/// A worker that freezes with the job's row locked by an uncommitted transaction.
#[test]
fn a_worker_frozen_in_its_last_transaction_delays_no_rescue() {
    run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
        start_own(deployment, &["api", "scheduler"]).await;
        let worker = start(deployment, "worker", "before_commit:sync_member=freeze@1").await;
        Operation::Sync.call(deployment, &unwaiting(deployment)).await.unwrap();
        frozen(&worker).await;
        start_own(deployment, &["worker"]).await;
        let since = Instant::now();
        succeeded(deployment, "sync_member").await;
        println!("job of a worker frozen in its transaction: done by another after {:?}", since.elapsed());
        let rows = all_rows(deployment).await;
        assert!(worker.process.is_frozen(), "it ended or woke up: {}", worker.process.log());
        worker.process.thaw();
        eventually("the woken worker cannot commit", SOON, async || {
            worker.process.log().contains("the claim was lost before the end was written").then_some(())
        })
        .await;
        assert_eq!(all_rows(deployment).await, rows, "a row was changed");
        assert_eq!(
            (Operation::Sync.effects(deployment).await, Operation::Sync.audit_entries(deployment).await),
            (1, (1, 1))
        );
        let lacking = deployment.other_guild().lacking();
        let done = works_on(deployment, &worker, lacking).await;
        assert_eq!(done["added_roles"], json!([lacking.wanted]));
    });
}

mod asked_to_stop {
    use super::*;

    #[test]
    fn embedded() {
        run_unstarted(Setup::new(Mode::Embedded), async |deployment| drains(deployment, "serve").await);
    }

    #[test]
    fn distributed() {
        run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
            start_own(deployment, &["api", "scheduler"]).await;
            drains(deployment, "worker").await;
        });
    }
}

/// A run that ends within the grace period succeeds; one that hangs is requeued without a burned attempt.
async fn drains(deployment: &Deployment, role: &str) {
    let mut stopping = start(deployment, role, "before_effect:sync_member=hang").await;
    let base = if role == "serve" { Api::new(&stopping.base) } else { deployment.api() };
    let api = base.key(&deployment.guild().admin_key).header("prefer", "respond-async");
    let short =
        json!({ "route": "PUT /guilds/:guild/members/:user/roles/:role", "hang_ms": 3_000, "count": 1 });
    deployment.fault(short).await;
    let assign =
        json!({ "user_id": deployment.guild().right().chat, "role_id": deployment.guild().roles[0] });
    assert_eq!(api.post("/interactions/roles/assign", assign).await.status, 202);
    assert_eq!(Operation::Sync.call(deployment, &api).await.unwrap().status, 202);
    eventually("both jobs run", SOON, async || {
        let rows = [deployment.job_row("assign_role").await, deployment.job_row("sync_member").await];
        (states(&rows) == [JobState::Running; 2]).then_some(())
    })
    .await;

    stopping.process.terminate();
    let since = Instant::now();
    let status = stopping.process.ended(Duration::from_secs(60)).await;
    println!("{role}: ended {:?} after SIGTERM, with a job that hangs", since.elapsed());
    assert!(status.success(), "{status}: {}", stopping.process.log());
    let (short, hanging) = (deployment.job_row("assign_role").await, deployment.job_row("sync_member").await);
    assert_eq!((short.state, short.attempt, short.token), (JobState::Succeeded, 1, 1), "{short:?}");
    assert_eq!((hanging.state, hanging.attempt, hanging.token), (JobState::Queued, 0, 1), "{hanging:?}");
    // The assigned role counts as an update too.
    assert_eq!(Operation::Sync.effects(deployment).await, 1);

    if role == "serve" {
        deployment.start_all().await;
    } else {
        start_own(deployment, &[role]).await;
    }
    let ready = Instant::now();
    let row = succeeded(deployment, "sync_member").await;
    println!("{role}: the job that hung was done {:?} after the next start", ready.elapsed());
    assert_eq!((row.attempt, row.token), (1, 2), "{row:?}");
    assert_eq!(
        (Operation::Sync.effects(deployment).await, Operation::Sync.audit_entries(deployment).await),
        (2, (1, 1))
    );
}

fn unwaiting(deployment: &Deployment) -> Api {
    deployment.api().header("prefer", "respond-async")
}

fn states(rows: &[JobRow]) -> Vec<JobState> {
    rows.iter().map(|row| row.state).collect()
}

async fn frozen(worker: &Running) {
    eventually("the worker is frozen", SOON, async || worker.process.is_frozen().then_some(())).await;
}

async fn succeeded(deployment: &Deployment, kind: &str) -> JobRow {
    eventually("the job succeeds", RESCUED_WITHIN, async || {
        Some(deployment.job_row(kind).await).filter(|row| row.state == JobState::Succeeded)
    })
    .await
}

async fn all_rows(deployment: &Deployment) -> Vec<JobRow> {
    let mut rows = Vec::new();
    for kind in ["sync_all", "sync_chunk", "create_ticket", "sync_member"] {
        rows.extend(deployment.job_rows(kind).await);
    }
    rows
}

/// As the only worker it runs the next job, for a member of the other guild. Returns the answer.
async fn works_on(deployment: &Deployment, worker: &Running, member: &Member) -> Value {
    deployment.roles().workers.clear();
    let guild = deployment.other_guild();
    let api = deployment.api().key(&guild.admin_key).header("prefer", "wait=30");
    let done = api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    assert!(deployment.simulator.is_right(guild, member).await);
    let rows = deployment.job_rows("sync_member").await;
    let pid = format!(":{}:", worker.process.id());
    assert!(rows.last().unwrap().worker.as_deref().unwrap().contains(&pid), "{rows:?}");
    done
}
