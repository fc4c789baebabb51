//! The leader is killed, the next one frozen: another scheduler leads, and the frozen one no longer does after it wakes.

use std::time::{Duration, Instant};

use super::jobs_are_rescued;
use testkit::{Mode, Setup, eventually, http_client, run};

/// The promise is 20 s (docs/operations.md 3); the machine may be slow.
const DEADLINE: Duration = Duration::from_secs(60);

/// Whether the process's metrics say that it leads.
async fn leads(base: &str) -> Option<()> {
    let metrics = http_client().get(format!("{base}/metrics")).send().await.ok()?.text().await.ok()?;
    metrics.lines().any(|line| line == "guildhall_scheduler_leads 1").then_some(())
}

/// Waits until one of these leads, and returns it.
async fn leader(bases: &[String]) -> String {
    eventually("a scheduler leads", DEADLINE, async || {
        for base in bases {
            if leads(base).await.is_some() {
                return Some(base.clone());
            }
        }
        None
    })
    .await
}

#[test]
fn a_killed_and_a_frozen_leader_are_replaced() {
    run(Setup::new(Mode::Distributed), async |deployment| {
        for _ in 0..2 {
            let scheduler = deployment.spawn("scheduler");
            deployment.roles().schedulers.push(scheduler);
        }
        deployment.wait_until_ready().await;
        let mut bases: Vec<String> =
            deployment.roles().schedulers.iter().map(|running| running.base.clone()).collect();

        let first = leader(&bases).await;
        bases.retain(|base| *base != first);
        let began = Instant::now();
        deployment.roles().schedulers.retain_mut(|running| {
            let is_leader = running.base == first;
            if is_leader {
                running.process.kill();
            }
            !is_leader
        });
        let second = leader(&bases).await;
        println!("leader killed: another leads after {:.1} s", began.elapsed().as_secs_f64());

        bases.retain(|base| *base != second);
        let began = Instant::now();
        let frozen = deployment.roles().schedulers.iter().position(|running| running.base == second).unwrap();
        deployment.roles().schedulers[frozen].process.freeze();
        let third = leader(&bases).await;
        println!("leader frozen: another leads after {:.1} s", began.elapsed().as_secs_f64());

        deployment.roles().schedulers[frozen].process.thaw();
        eventually("the thawed scheduler no longer leads", DEADLINE, async || {
            leads(&second).await.is_none().then_some(())
        })
        .await;
        assert!(leads(&third).await.is_some(), "the third scheduler still leads");
        jobs_are_rescued(deployment).await;
    });
}
