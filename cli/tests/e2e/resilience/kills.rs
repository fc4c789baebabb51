//! Processes and servers that die during jobs, with servers of each test's own.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, Mode, PrivateServer, Servers, Setup, eventually, run};

const BULK: &str = "/interactions/sync/all";

/// With enough latency that a kill comes before the last of the 120 changes.
fn slow(mode: Mode) -> Setup {
    Setup::new(mode).members(300).latency_ms(250)
}

async fn start_bulk(deployment: &Deployment) -> String {
    let data = deployment.api().post(BULK, json!({})).await.ok();
    assert_eq!(data["queued"], true);
    data["job_id"].as_str().unwrap().to_owned()
}

/// Waits until a checkpoint is written, before the end. Returns the number of members changed by then.
async fn half_way(deployment: &Deployment, job: &str) -> u64 {
    let unchanged = deployment.guild().members.len() - deployment.guild().changes();
    eventually("a checkpoint is written", Duration::from_secs(30), async || {
        let job = deployment.api().get(&format!("/jobs/{job}")).await.ok();
        (job["progress"]["done"].as_u64().unwrap() >= unchanged as u64 + 20).then_some(())
    })
    .await;
    let changed = deployment.member_updates().await;
    assert!(changed < deployment.guild().changes() as u64, "the sync ended before the kill");
    changed
}

/// The rest of the job.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// Asserts that the job succeeded and every member is correct. Returns the number of planned members that the last run
/// found changed already.
async fn finished(deployment: &Deployment, job: &str) -> u64 {
    deployment.sync_all_ended(job, ENDS_WITHIN).await;
    let ended = deployment.job_ended(job).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    let progress = &ended["progress"];
    let expected = (&json!(300), &json!(300), &json!(0));
    assert_eq!((&progress["done"], &progress["total"], &progress["failed"]), expected, "{ended}");
    assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
    let (updates, changes) = (deployment.member_updates().await, deployment.guild().changes() as u64);
    // Only the calls in flight at the kill may be repeated.
    assert!((changes..changes + 20).contains(&updates), "{updates} updates for {changes} changes");
    ended["result"]["skipped"].as_u64().unwrap()
}

#[test]
fn kills_a_worker_in_the_middle_of_a_bulk_sync() {
    run(slow(Mode::Distributed), async |deployment| {
        let job = start_bulk(deployment).await;
        let changed = half_way(deployment, &job).await;
        let mut worker = deployment.roles().workers.remove(0);
        worker.process.kill();
        deployment.let_be_silent(&worker.process).await;
        deployment.add_worker().await;
        // The next run continues from the checkpoint.
        let skipped = finished(deployment, &job).await;
        assert!(skipped < changed, "{skipped} members were gone through again, {changed} changed before");
    });
}

#[test]
fn kills_serve_in_the_middle_of_a_bulk_sync() {
    run(slow(Mode::Embedded), async |deployment| {
        let job = start_bulk(deployment).await;
        let changed = half_way(deployment, &job).await;
        deployment.restart_serve(async |serve| serve.kill()).await;
        let skipped = finished(deployment, &job).await;
        assert!(skipped < changed, "{skipped} members were gone through again, {changed} changed before");
    });
}

#[test]
fn kills_nothing_when_serve_is_asked_to_stop() {
    run(slow(Mode::Embedded), async |deployment| {
        let job = start_bulk(deployment).await;
        half_way(deployment, &job).await;
        deployment
            .restart_serve(async |serve| {
                serve.terminate();
                let status = serve.ended(Duration::from_secs(35)).await;
                assert!(status.success(), "{status}: {}", serve.log());
            })
            .await;
        assert_eq!(finished(deployment, &job).await, 0, "a step was cut");
    });
}

#[test]
fn kills_nothing_when_distributed_processes_are_asked_to_stop() {
    run(slow(Mode::Distributed), async |deployment| {
        let job = start_bulk(deployment).await;
        half_way(deployment, &job).await;
        let mut worker = deployment.roles().workers.remove(0);
        worker.process.terminate();
        assert!(worker.process.ended(Duration::from_secs(35)).await.success(), "{}", worker.process.log());
        deployment.add_worker().await;
        assert_eq!(finished(deployment, &job).await, 0, "a step was cut");
        let mut roles = std::mem::take(&mut *deployment.roles());
        for running in roles.all() {
            running.process.terminate();
        }
        for running in roles.all() {
            let status = running.process.ended(Duration::from_secs(35)).await;
            assert!(status.success(), "{}: {status}", running.process.name());
        }
    });
}

#[test]
fn kills_rabbitmq_and_jobs_go_on() {
    let broker = PrivateServer::start("rabbitmq", "broker-outage");
    let servers = Servers { amqp: broker.url(), ..Servers::from_env() };
    let setup = Setup { servers: Some(servers), ..Setup::new(Mode::Distributed) };
    run(setup, async |deployment| {
        let guild = deployment.guild();
        deployment.api().post("/interactions/sync", json!({ "user_id": guild.lacking().chat })).await.ok();
        broker.stop();
        let data = deployment.api().post(BULK, json!({})).await.ok();
        assert_eq!((&data["queued"], &data["members"]), (&json!(true), &json!(30)));
        // A waiting caller gets its result without the broker.
        let api = deployment.api().header("prefer", "wait=20");
        let extra = json!({ "user_id": guild.with_extra().chat });
        api.post("/interactions/sync", extra).await.ok();
        let ended = deployment.job_ended(data["job_id"].as_str().unwrap()).await;
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(deployment.simulator.wrong(guild).await, 0);
        broker.start_again();
        deployment.wait_until_ready().await;
        let right = json!({ "user_id": guild.right().chat });
        let data = deployment.api().post("/interactions/sync", right).await.ok();
        assert_eq!(data["added_roles"], json!([]));
    });
}

#[test]
fn kills_redis_and_lookups_still_answer() {
    let redis = PrivateServer::start("redis", "redis-outage");
    let servers = Servers { redis: redis.url(), ..Servers::from_env() };
    let setup = Setup { servers: Some(servers), ..Setup::new(Mode::Distributed) };
    run(setup, async |deployment| {
        let (guild, api) = (deployment.guild(), deployment.api());
        let path = format!("/lookup/chat/{}", guild.members[0].chat);
        api.get(&path).await.ok();
        redis.kill();
        for _ in 0..5 {
            api.get(&path).await.ok();
        }
        // A valid key that is not cached, and an unknown one.
        api.key(&guild.game_key).get(&path).await.ok();
        api.key(&testkit::key_text(9, "none")).get(&path).await.refused(401, &[]);
        let refused = api.post(BULK, json!({})).await.refused(503, &[]);
        assert!(refused.number("retry-after") >= 1);
        let jobs = api.get(&format!("/guilds/{}/jobs", guild.id)).await.ok();
        assert_eq!(jobs["jobs"], json!([]));
        redis.start_again();
        let data: Value = eventually("sync/all is accepted again", Duration::from_secs(15), async || {
            let answer = api.post(BULK, json!({})).await;
            (answer.status == 200).then(|| answer.ok())
        })
        .await;
        let ended = deployment.job_ended(data["job_id"].as_str().unwrap()).await;
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(deployment.simulator.wrong(guild).await, 0);
    });
}
