//! Jobs of a killed worker on another one.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::resilience::faults::armed::{has_died, start, start_own};
use crate::resilience::faults::operation::Operation;
use testkit::{JobState, Mode, Setup, eventually, run, run_unstarted};

const WITHIN: Duration = Duration::from_secs(60);

#[test]
fn short_jobs_of_a_killed_worker_run_elsewhere() {
    run(Setup::new(Mode::Distributed), async |deployment| {
        let mut dying = start(deployment, "worker", "after_claim:sync_member=abort").await;
        let api = deployment.api().header("prefer", "wait=30");
        let changed: Vec<_> =
            deployment.guild().members.iter().filter(|member| member.needs_change()).collect();
        let mut slowest = Duration::ZERO;
        // RabbitMQ alternates between the two workers, so one of these jobs reaches the one that dies.
        let calls = async {
            for member in &changed[..4] {
                let started = Instant::now();
                api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
                slowest = slowest.max(started.elapsed());
            }
        };
        tokio::join!(calls, async {
            has_died(&mut dying).await;
            deployment.let_be_silent(&dying.process).await;
        });
        println!("short job of a killed worker: its caller was answered after {slowest:?}");
        let mut rows = deployment.job_rows("sync_member").await;
        rows.retain(|row| row.token == 2);
        assert!(rows.iter().all(|row| row.state == JobState::Succeeded && row.attempt == 1), "{rows:?}");
        assert_eq!(rows.len(), 1, "exactly one ran twice: {rows:?}");
        assert_eq!(deployment.member_updates().await, 4);
        assert_eq!(deployment.audit("sync.member").await.len(), 4);
    });
}

#[test]
fn chunks_of_a_killed_worker_run_elsewhere() {
    let setup = Setup::new(Mode::Distributed).members(300).latency_ms(250).processes(2);
    run(setup, async |deployment| {
        let data = deployment.api().post("/interactions/sync/all", json!({})).await.ok();
        let chunk = eventually("a chunk has come far enough to be missed", WITHIN, async || {
            deployment.job_rows("sync_chunk").await.into_iter().find(|row| row.checkpoint.is_some())
        })
        .await;
        let mut killed = deployment.take_worker_of(&chunk);
        killed.process.kill();
        deployment.let_be_silent(&killed.process).await;
        let since = Instant::now();
        eventually("another worker has the chunk", WITHIN, async || {
            let rows = deployment.job_rows("sync_chunk").await;
            rows.into_iter().find(|row| row.job_id == chunk.job_id && row.token > chunk.token).map(drop)
        })
        .await;
        println!("chunk of a killed worker: claimed elsewhere after {:?}", since.elapsed());
        let ended = deployment.job_ended(data["job_id"].as_str().unwrap()).await;
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
        assert!(deployment.job_rows("sync_chunk").await.iter().all(|row| row.attempt <= 1));
    });
}

/// Reads before the call: the channels, the bot, the guild's roles, and the bot's roles.
const READS: i32 = 4;

/// The killed worker's request takes effect about when another worker claims the job.
#[test]
fn a_channel_that_a_killed_worker_asked_for_last_is_not_made_twice() {
    // It counts requests: without commands to register.
    let setup = Setup::new(Mode::Distributed).env("GUILDHALL_CHAT_PUBLIC_KEY", "");
    run_unstarted(setup, async |deployment| {
        start_own(deployment, &["api", "scheduler", "worker"]).await;
        let api = deployment.api().header("prefer", "wait=30");
        Operation::Ticket.prepare(deployment, &api).await;
        let late = json!({ "route": "POST /guilds/:guild/channels", "hang_ms": 15_000, "count": 1 });
        deployment.fault(late).await;
        let (answer, rescued) = tokio::join!(Operation::Ticket.call(deployment, &api), async {
            eventually("all that a channel needs was read, and one is asked for", WITHIN, async || {
                (deployment.simulator.stats().await["chat_requests"] == READS + 1).then_some(())
            })
            .await;
            let mut killed = deployment.roles().workers.remove(0);
            killed.process.kill();
            assert_eq!(Operation::Ticket.effects(deployment).await, 0, "too late to tell");
            start_own(deployment, &["worker"]).await;
            Instant::now()
        });
        println!("channel under way: its caller was answered {:?} after the kill", rescued.elapsed());
        Operation::Ticket.assert_done_once(deployment, &answer.unwrap()).await;
        let entry = &deployment.audit("ticket.create").await[0];
        assert_eq!(entry["metadata"]["made_by_an_earlier_run"], true, "{entry}");
    });
}
