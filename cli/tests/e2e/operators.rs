//! What operators do beside running processes: look at workers, pause, run failed jobs again, and the schedules.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{World, both_modes, eventually};

both_modes!(
    what_is_paused_waits_and_is_named,
    failed_jobs_of_a_kind_are_run_again_at_once,
    workers_are_listed_with_what_they_take,
    schedules_are_listed_run_and_paused,
);

const PATIENCE: Duration = Duration::from_secs(30);

async fn enqueue(world: &World, key: &str, chat: &str) -> String {
    let api = world.api().key(key).header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": chat })).await;
    assert_eq!(answer.status, 202, "{answer}");
    answer.body["data"]["job_id"].as_str().unwrap().to_owned()
}

async fn what_is_paused_waits_and_is_named(world: &World) {
    let (guild, other) = (world.guild(), world.other_guild());
    let pause =
        async |word, scope: &[&str]| world.command(&[&["jobs", word], scope].concat()).await.succeeded();
    let of_guild = ["--guild", &guild.id];
    assert!(pause("pause", &of_guild).await.contains("are not started any more"));
    assert!(pause("pause", &of_guild).await.contains("were paused already"));
    let waits = enqueue(world, &guild.admin_key, &guild.lacking().chat).await;
    let runs = enqueue(world, &other.admin_key, &other.lacking().chat).await;
    assert_eq!(world.job_of(&other.admin_key, &runs).await["state"], "succeeded", "another guild's goes on");
    assert_eq!(world.api().get(&format!("/jobs/{waits}")).await.ok()["state"], "queued");
    let listed = world.command(&["jobs", "list"]).await.succeeded();
    assert!(listed.contains(&format!("Paused: guild {} ", guild.id)), "{listed}");
    pause("resume", &of_guild).await;
    assert_eq!(world.job_ended(&waits).await["state"], "succeeded");

    pause("pause", &["interactive"]).await;
    let waits = enqueue(world, &other.admin_key, &other.lacking().chat).await;
    assert!(world.command(&["jobs", "list"]).await.succeeded().contains("Paused: class interactive "));
    pause("resume", &["interactive"]).await;
    assert_eq!(world.job_of(&other.admin_key, &waits).await["state"], "succeeded");
    assert!(!world.command(&["jobs", "list"]).await.succeeded().contains("Paused"));

    for wrong in [&["jobs", "pause"][..], &["jobs", "pause", "urgent"], &["jobs", "pause", "--guild", "5x"]] {
        assert_eq!(world.command(wrong).await.code, Some(2), "{wrong:?}");
    }
    assert!(world.command(&["jobs", "pause", "--guild", "5"]).await.refused().contains("guild 5"));
}

async fn failed_jobs_of_a_kind_are_run_again_at_once(world: &World) {
    let guild = world.guild();
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    world.simulator.fault(json!({ "route": route, "status": 400, "count": 1000 })).await;
    let mut failed = Vec::new();
    for member in guild.members.iter().filter(|member| member.held.is_empty()).take(3) {
        let job = enqueue(world, &guild.admin_key, &member.chat).await;
        assert_eq!(world.job_ended(&job).await["state"], "failed");
        failed.push(job);
    }
    world.simulator.clear_faults().await;
    let retry = async |kind| world.command(&["jobs", "retry", "--all", "--kind", kind]).await;
    retry("shield_import").await.succeeded();
    assert_eq!(
        world.api().get(&format!("/jobs/{}", failed[0])).await.ok()["state"],
        "failed",
        "of another kind"
    );
    retry("sync_member").await.succeeded();
    for job in failed {
        assert_eq!(world.job_ended(&job).await["state"], "succeeded");
    }
    assert_eq!(retry("nonsense").await.code, Some(2));
}

async fn workers_are_listed_with_what_they_take(world: &World) {
    let listed = world.command(&["jobs", "workers", "--json"]).await.succeeded();
    let workers: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let takes = |class: &str| workers.iter().any(|worker| worker["slots"][class].as_u64() > Some(0));
    for class in ["interactive", "default", "bulk", "maintenance", "quarantine"] {
        assert!(takes(class), "{class}: {listed}");
    }
    for field in ["worker", "host", "version", "started_at", "heartbeat_at"] {
        assert!(workers.iter().all(|worker| worker[field].is_string()), "{field}: {listed}");
    }
}

async fn schedules_are_listed_run_and_paused(world: &World) {
    let of = async |name: &str| {
        let listed = world.command(&["schedules", "list", "--json"]).await.succeeded();
        let schedules: Vec<Value> = serde_json::from_str(&listed).unwrap();
        schedules.into_iter().find(|schedule| schedule["schedule"] == name)
    };
    eventually("a scheduler that leads", PATIENCE, async || of("finished_jobs").await).await;
    let of = async |name: &str| of(name).await.unwrap();
    world.command(&["schedules", "pause", "finished_jobs"]).await.succeeded();
    assert_eq!(of("finished_jobs").await["paused"], true);
    // By hand it runs all the same.
    let said = world.command(&["schedules", "run", "finished_jobs"]).await.succeeded();
    eventually("the task's end", PATIENCE, async || {
        let listed = of("finished_jobs").await;
        assert!(said.contains(listed["job_id"].as_str().unwrap()), "{said} {listed}");
        (listed["job_state"] == "succeeded").then_some(())
    })
    .await;
    world.command(&["schedules", "resume", "finished_jobs"]).await.succeeded();
    assert_eq!(of("finished_jobs").await["paused"], false);
    let told = world.command(&["schedules", "pause", "nonsense"]).await;
    assert_eq!(told.code, Some(2));
    assert!(told.refused().contains("schedules are sanctions"));
}
