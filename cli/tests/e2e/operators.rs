//! Operator commands for workers, paused and failed jobs, and schedules.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, both_modes, eventually};

both_modes!(
    paused_jobs_stay_queued_and_the_pause_is_listed(own),
    all_failed_jobs_of_a_kind_are_retried(own),
    a_retry_that_is_not_whole_fails(own),
    workers_are_listed_with_their_slots,
    schedules_are_listed_run_and_paused(own),
);

const WAIT_LIMIT: Duration = Duration::from_secs(30);

async fn enqueue(deployment: &Deployment, key: &str, chat: &str) -> String {
    let api = deployment.api().key(key).header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": chat })).await;
    assert_eq!(answer.status, 202, "{answer}");
    answer.body["data"]["job_id"].as_str().unwrap().to_owned()
}

async fn paused_jobs_stay_queued_and_the_pause_is_listed(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let pause =
        async |word, scope: &[&str]| deployment.command(&[&["jobs", word], scope].concat()).await.succeeded();
    let of_guild = ["--guild", &guild.id];
    assert!(pause("pause", &of_guild).await.contains("are not started any more"));
    assert!(pause("pause", &of_guild).await.contains("were paused already"));
    let waits = enqueue(deployment, &guild.admin_key, &guild.lacking().chat).await;
    let runs = enqueue(deployment, &other.admin_key, &other.lacking().chat).await;
    assert_eq!(
        deployment.job_of(&other.admin_key, &runs).await["state"],
        "succeeded",
        "the job of another guild"
    );
    assert_eq!(deployment.api().get(&format!("/jobs/{waits}")).await.ok()["state"], "queued");
    let listed = deployment.command(&["jobs", "list"]).await.succeeded();
    assert!(listed.contains(&format!("Paused: guild {} ", guild.id)), "{listed}");
    pause("resume", &of_guild).await;
    assert_eq!(deployment.job_ended(&waits).await["state"], "succeeded");

    pause("pause", &["interactive"]).await;
    let waits = enqueue(deployment, &other.admin_key, &other.lacking().chat).await;
    assert!(deployment.command(&["jobs", "list"]).await.succeeded().contains("Paused: class interactive "));
    pause("resume", &["interactive"]).await;
    assert_eq!(deployment.job_of(&other.admin_key, &waits).await["state"], "succeeded");
    assert!(!deployment.command(&["jobs", "list"]).await.succeeded().contains("Paused"));

    for wrong in [&["jobs", "pause"][..], &["jobs", "pause", "urgent"], &["jobs", "pause", "--guild", "5x"]] {
        assert_eq!(deployment.command(wrong).await.code, Some(2), "{wrong:?}");
    }
    assert!(deployment.command(&["jobs", "pause", "--guild", "5"]).await.refused().contains("guild 5"));
}

async fn a_retry_that_is_not_whole_fails(deployment: &Deployment) {
    let guild = deployment.guild();
    deployment.fault(json!({ "route": "GET /guilds/:guild/roles", "status": 403, "count": 1000 })).await;
    // Both do the same, so only one of them can be unfinished.
    let mut failed = Vec::new();
    for _ in 0..2 {
        let queued = deployment.command(&["sync", "--guild", &guild.id]).await.succeeded();
        let job = queued.split(' ').nth(1).unwrap().to_owned();
        assert_eq!(deployment.job_ended(&job).await["state"], "failed");
        failed.push(job);
    }
    deployment.clear_faults().await;
    deployment.command(&["jobs", "pause", "--guild", &guild.id]).await.succeeded();
    let retry = deployment.command(&["jobs", "retry", "--all", "--kind", "sync_all"]).await;
    let said = retry.refused();
    assert!(said.contains("1 job of kind sync_all due now; 1 job not retried"), "{said}");
    deployment.command(&["jobs", "resume", "--guild", &guild.id]).await.succeeded();
    assert_eq!(deployment.job_ended(&failed[0]).await["state"], "succeeded");
}

async fn all_failed_jobs_of_a_kind_are_retried(deployment: &Deployment) {
    let guild = deployment.guild();
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 400, "count": 1000 })).await;
    let mut failed = Vec::new();
    for member in guild.members.iter().filter(|member| member.held.is_empty()).take(3) {
        let job = enqueue(deployment, &guild.admin_key, &member.chat).await;
        assert_eq!(deployment.job_ended(&job).await["state"], "failed");
        failed.push(job);
    }
    deployment.clear_faults().await;
    let retry = async |kind| deployment.command(&["jobs", "retry", "--all", "--kind", kind]).await;
    retry("shield_import").await.succeeded();
    assert_eq!(
        deployment.api().get(&format!("/jobs/{}", failed[0])).await.ok()["state"],
        "failed",
        "the job of another kind"
    );
    retry("sync_member").await.succeeded();
    for job in failed {
        assert_eq!(deployment.job_ended(&job).await["state"], "succeeded");
    }
    assert_eq!(retry("nonsense").await.code, Some(2));
    for verb in ["retry", "cancel", "show"] {
        let refused = deployment.command(&["jobs", verb, "not-an-id"]).await;
        assert_eq!(refused.code, Some(2), "{verb}");
        assert!(refused.refused().contains("must be the whole id of a job, a UUID"), "{verb}");
    }
}

async fn workers_are_listed_with_their_slots(deployment: &Deployment) {
    let listed = deployment.command(&["jobs", "workers", "--json"]).await.succeeded();
    let workers: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let takes = |class: &str| workers.iter().any(|worker| worker["slots"][class].as_u64() > Some(0));
    for class in ["interactive", "default", "bulk", "maintenance", "quarantine"] {
        assert!(takes(class), "{class}: {listed}");
    }
    for field in ["worker", "host", "version", "started_at", "heartbeat_at"] {
        assert!(workers.iter().all(|worker| worker[field].is_string()), "{field}: {listed}");
    }
}

async fn schedules_are_listed_run_and_paused(deployment: &Deployment) {
    let of = async |name: &str| {
        let listed = deployment.command(&["schedules", "list", "--json"]).await.succeeded();
        let schedules: Vec<Value> = serde_json::from_str(&listed).unwrap();
        schedules.into_iter().find(|schedule| schedule["schedule"] == name)
    };
    eventually("a scheduler leads", WAIT_LIMIT, async || of("finished_jobs").await).await;
    let of = async |name: &str| of(name).await.unwrap();
    deployment.command(&["schedules", "pause", "finished_jobs"]).await.succeeded();
    assert_eq!(of("finished_jobs").await["paused"], true);
    // An operator can run a paused schedule.
    let said = deployment.command(&["schedules", "run", "finished_jobs"]).await.succeeded();
    eventually("the task has ended", WAIT_LIMIT, async || {
        let listed = of("finished_jobs").await;
        assert!(said.contains(listed["job_id"].as_str().unwrap()), "{said} {listed}");
        (listed["job_state"] == "succeeded").then_some(())
    })
    .await;
    deployment.command(&["schedules", "resume", "finished_jobs"]).await.succeeded();
    assert_eq!(of("finished_jobs").await["paused"], false);
    let output = deployment.command(&["schedules", "pause", "nonsense"]).await;
    assert_eq!(output.code, Some(2));
    assert!(output.refused().contains("schedules are sanctions"));
}
