//! Two api, two worker and two scheduler processes on shared servers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::resilience::leading::{jobs_are_rescued, retries_come_back};
use testkit::console::Console;
use testkit::{Deployment, FELT, distributed_only, eventually, http_client};

distributed_only!(
    either_api_answers_with_the_workers_result(|setup| setup.processes(2)),
    a_revoked_key_is_refused_on_both_within_a_second(|setup| setup.processes(2)),
    both_apis_share_one_rate_limit(|setup| setup.processes(2)),
    many_clients_of_four_apis_pass_exactly_the_limit_and_redis_is_seldom_asked(|setup| setup.processes(4)),
    changes_through_one_api_are_seen_by_the_other(|setup| setup.processes(2)),
    a_bulk_sync_is_shared_and_no_member_is_changed_twice(|setup| setup.processes(2).members(120)),
    a_second_scheduler_takes_over(|setup| setup.processes(2)),
    retries_need_no_scheduler(own),
    that_nobody_runs_jobs_is_seen(|setup| setup.processes(2)),
);

async fn either_api_answers_with_the_workers_result(deployment: &Deployment) {
    let guild = deployment.guild();
    let lacking: Vec<_> = guild.members.iter().filter(|member| member.held.is_empty()).take(4).collect();
    for (n, member) in lacking.iter().enumerate() {
        let data = deployment
            .api_number(n % 2)
            .post("/interactions/sync", json!({ "user_id": member.chat }))
            .await
            .ok();
        assert_eq!(data["added_roles"], json!([member.wanted]));
        assert!(deployment.simulator.is_right(guild, member).await);
    }
    // A job enqueued through one api is shown by the other.
    let answer = deployment
        .api_number(0)
        .header("prefer", "respond-async")
        .post("/interactions/sync", json!({ "user_id": guild.misnamed().chat }))
        .await;
    let job = answer.body["data"]["job_id"].as_str().unwrap();
    deployment.api_number(1).get(&format!("/jobs/{job}")).await.ok();
    assert_eq!(deployment.job_ended(job).await["state"], "succeeded");
}

async fn a_revoked_key_is_refused_on_both_within_a_second(deployment: &Deployment) {
    let key = deployment.new_key("").await;
    for n in [0, 1, 0, 1] {
        deployment.api_number(n).key(&key).get("/bindings/list").await.ok();
    }
    deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    let apis = [0, 1].map(|n| deployment.api_number(n).key(&key));
    eventually("both refuse the key", FELT, async || {
        let statuses =
            [apis[0].get("/bindings/list").await.status, apis[1].get("/bindings/list").await.status];
        (statuses == [401; 2]).then_some(())
    })
    .await;
}

async fn both_apis_share_one_rate_limit(deployment: &Deployment) {
    let path = format!("/lookup/chat/{}", deployment.guild().members[0].chat);
    let apis = [deployment.api_number(0), deployment.api_number(1)];
    for _ in 0..30 {
        for api in &apis {
            api.get(&path).await.ok();
        }
    }
    for api in &apis {
        let answer = api.get(&path).await.refused(429, &[]);
        assert!((1..=60).contains(&answer.number("retry-after")), "{answer}");
    }
    // Of 90 concurrent calls with another key, spread over both, 60 pass.
    let apis = apis.map(|api| api.key(&deployment.guild().game_key));
    let calls = (0..90).map(|n| apis[n % 2].get(&path));
    let answers = futures_util::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 60);
}

async fn many_clients_of_four_apis_pass_exactly_the_limit_and_redis_is_seldom_asked(deployment: &Deployment) {
    let apis: Vec<_> = (0..4).map(|number| deployment.api_number(number)).collect();
    let path = format!("/moderation/{}/ban-status/17", deployment.guild().id);
    let grants = async || {
        let mut sum = 0;
        for number in 0..4 {
            let metrics = deployment.metrics(number).await;
            let line = metrics.lines().find(|line| line.starts_with("guildhall_rate_limit_grants_total"));
            sum += line.map_or(0, |line| line.rsplit_once(' ').unwrap().1.parse::<u32>().unwrap());
        }
        sum
    };
    let before = grants().await;
    // Permits that a busy process returns late serve later requests.
    let (mut passed, mut requests) = (0, 0);
    while passed < 300 {
        let clients = (0..64).map(|client| {
            let (api, path) = (&apis[client % 4], &path);
            async move {
                let mut passed = 0;
                for _ in 0..10 {
                    passed += u32::from(api.get(path).await.status == 200);
                }
                passed
            }
        });
        passed += futures_util::future::join_all(clients).await.into_iter().sum::<u32>();
        requests += 640;
    }
    assert_eq!(passed, 300);
    let asked = grants().await - before;
    println!("{asked} calls to Redis for {requests} requests");
    // One by one they would be 300 and those that are refused. Blocks get smaller each time that processes which are slow to
    // use theirs return them.
    assert!(asked * 2 < passed, "{asked} calls to Redis for {requests} requests");
}

async fn changes_through_one_api_are_seen_by_the_other(deployment: &Deployment) {
    let (one, two, guild) = (deployment.api_number(0), deployment.api_number(1), deployment.guild());
    let binding = json!({ "type": "group_rank", "group_id": 3, "rank": 3, "role_id": guild.roles[0] });
    let id = one.post("/bindings/add", binding).await.ok()["id"].clone();
    assert!(two.get("/bindings/list").await.ok()["bindings"].to_string().contains(&id.to_string()));
    two.delete(&format!("/bindings/remove/{id}")).await.ok();
    assert_eq!(one.get("/bindings/list").await.ok()["bindings"].as_array().unwrap().len(), 4);
    // Both see an idempotency key that one of them took.
    let entry = json!({ "action": "a.b", "metadata": {} });
    let path = format!("/guilds/{}/audit-logs", guild.id);
    let first = one.header("idempotency-key", "k").post(&path, entry.clone()).await;
    let again = two.header("idempotency-key", "k").post(&path, entry).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
    assert_eq!(first.ok(), again.ok());
}

async fn a_bulk_sync_is_shared_and_no_member_is_changed_twice(deployment: &Deployment) {
    let guild = deployment.guild();
    let job = deployment.api().post("/interactions/sync/all", json!({})).await.ok()["job_id"].clone();
    // A single sync does not wait for the bulk sync.
    deployment.api_number(1).post("/interactions/sync", json!({ "user_id": guild.right().chat })).await.ok();
    let ended = deployment.job_ended(job.as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.member_updates().await, guild.changes() as u64);
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
}

async fn a_second_scheduler_takes_over(deployment: &Deployment) {
    // The first one may or may not have led; after its end the second one leads and rescues jobs.
    let mut first = deployment.roles().schedulers.remove(0);
    first.process.terminate();
    assert!(first.process.ended(Duration::from_secs(10)).await.success(), "{}", first.process.log());
    jobs_are_rescued(deployment).await;
}

async fn retries_need_no_scheduler(deployment: &Deployment) {
    deployment.roles().schedulers.clear();
    retries_come_back(deployment).await;
}

/// By metrics, doctor and the console; the API itself goes on.
async fn that_nobody_runs_jobs_is_seen(deployment: &Deployment) {
    let processes =
        async |role: &str| metric(deployment, &format!("guildhall_processes{{role=\"{role}\"}}")).await;
    eventually("all processes are counted", FELT, async || {
        let counted = [processes("api").await?, processes("worker").await?, processes("scheduler").await?];
        (counted == [2; 3]).then_some(())
    })
    .await;
    let console = Console::operator(deployment).await;
    let seen = async || console.get("/console/instance").await;
    assert!(!seen().await.contains("obody runs jobs"));

    let workers: Vec<_> = deployment.roles().workers.drain(..).collect();
    for mut worker in workers {
        worker.process.kill();
        deployment.let_be_silent(&worker.process).await;
    }
    assert_eq!((processes("worker").await, processes("scheduler").await), (Some(0), Some(2)));
    let job = deployment.api().header("prefer", "respond-async");
    job.post("/interactions/sync", json!({ "user_id": deployment.guild().lacking().chat })).await;
    let doctor = async || {
        let found = deployment.command(&["doctor", "--json"]).await;
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let checks = found["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "processes").unwrap()
    };
    let found = doctor().await;
    assert_eq!(found["detail"], "nobody runs jobs of class interactive, default, bulk, delivery; 1 wait");
    assert_eq!(found["cure"], "start `guildhall worker`");
    seen().await.shows(200, "Nobody runs jobs of the classes interactive, default, bulk");
    assert_eq!(metric(deployment, "guildhall_jobs_queued{class=\"interactive\"}").await, Some(1));

    let schedulers: Vec<_> = deployment.roles().schedulers.drain(..).collect();
    for mut scheduler in schedulers {
        scheduler.process.kill();
        deployment.let_be_silent(&scheduler.process).await;
    }
    assert_eq!(processes("scheduler").await, Some(0));
    assert!(doctor().await["cure"].as_str().unwrap().contains("`guildhall scheduler`"));
    let late = "UPDATE schedule SET last_tick = '2026-01-01 00:00:00+00' WHERE name = 'sanctions'";
    deployment.execute(late).await;
    let text = deployment.metrics(0).await;
    let lag = text.split("guildhall_schedule_lag_seconds{schedule=\"sanctions\"} ").nth(1).unwrap();
    assert!(lag.lines().next().unwrap().parse::<f64>().unwrap() > 3_600.0, "{text}");
    seen().await.shows(
        200,
        "Nobody runs jobs of the classes interactive, default, bulk, delivery, maintenance, quarantine",
    );
    let ready = http_client().get(format!("{}/health/ready", deployment.api_base(0))).send().await.unwrap();
    assert_eq!(ready.status(), 200, "the API answers without workers");
    deployment.add_worker().await;
    eventually("the new worker is counted", FELT, async || (processes("worker").await? == 1).then_some(()))
        .await;
}

/// A series of the first API process.
pub(crate) async fn metric(deployment: &Deployment, series: &str) -> Option<u64> {
    let text = deployment.metrics(0).await;
    let line = text.lines().find_map(|line| line.strip_prefix(series))?;
    line.trim().parse().ok()
}
