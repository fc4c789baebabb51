//! Processes and servers that die in the middle of the work. Servers are of each test's own; the runner takes these
//! tests one at a time.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Mode, PrivateServer, Servers, Setup, World, eventually, run};

const BULK: &str = "/interactions/sync/all";

/// Slow enough that a kill comes in the middle of the 120 changes.
fn slow(mode: Mode) -> Setup {
    Setup::new(mode).members(300).latency_ms(250)
}

async fn start_bulk(world: &World) -> String {
    let data = world.api().post(BULK, json!({})).await.ok();
    assert_eq!(data["queued"], true);
    data["job_id"].as_str().unwrap().to_owned()
}

/// Waits until a checkpoint is kept, far from the end. Returns how many members were changed by then.
async fn half_way(world: &World, job: &str) -> u64 {
    let unchanged = world.guild().members.len() - world.guild().changes();
    eventually("a checkpoint is kept", Duration::from_secs(30), async || {
        let job = world.api().get(&format!("/jobs/{job}")).await.ok();
        tokio::time::sleep(Duration::from_millis(200)).await;
        (job["progress"]["done"].as_u64().unwrap() >= unchanged as u64 + 20).then_some(())
    })
    .await;
    let changed = world.simulator.member_updates().await;
    assert!(changed < world.guild().changes() as u64, "over before the kill");
    changed
}

/// The heartbeat of a killed worker is missed after 15 s; then the rest is done.
const ENDS_WITHIN: Duration = Duration::from_secs(90);

/// The job ended well and everybody is right. Returns how many members of the plan it found changed already.
async fn finished(world: &World, job: &str) -> u64 {
    world.sync_all_ended(job, ENDS_WITHIN).await;
    let ended = world.job_ended(job).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    let progress = &ended["progress"];
    let expected = (&json!(300), &json!(300), &json!(0));
    assert_eq!((&progress["done"], &progress["total"], &progress["failed"]), expected, "{ended}");
    assert_eq!(world.simulator.wrong(world.guild()).await, 0);
    let (updates, changes) = (world.simulator.member_updates().await, world.guild().changes() as u64);
    // What was under way when it died may be done again, a handful; the rest is not.
    assert!((changes..changes + 20).contains(&updates), "{updates} updates for {changes} changes");
    ended["result"]["skipped"].as_u64().unwrap()
}

#[test]
fn kills_a_worker_in_the_middle_of_a_bulk_sync() {
    run(slow(Mode::Distributed), async |world| {
        let job = start_bulk(world).await;
        let changed = half_way(world, &job).await;
        let mut worker = world.roles().workers.remove(0);
        worker.process.kill();
        world.add_worker().await;
        // From its checkpoint on, not from the start.
        let skipped = finished(world, &job).await;
        assert!(skipped < changed, "{skipped} members were gone through again, {changed} changed before");
    });
}

#[test]
fn kills_serve_in_the_middle_of_a_bulk_sync() {
    run(slow(Mode::Embedded), async |world| {
        let job = start_bulk(world).await;
        let changed = half_way(world, &job).await;
        world.restart_serve(async |serve| serve.kill()).await;
        let skipped = finished(world, &job).await;
        assert!(skipped < changed, "{skipped} members were gone through again, {changed} changed before");
    });
}

#[test]
fn kills_nothing_when_serve_is_asked_to_stop() {
    run(slow(Mode::Embedded), async |world| {
        let job = start_bulk(world).await;
        half_way(world, &job).await;
        world
            .restart_serve(async |serve| {
                serve.terminate();
                let status = serve.ended(Duration::from_secs(35)).await;
                assert!(status.success(), "{status}: {}", serve.log());
            })
            .await;
        assert_eq!(finished(world, &job).await, 0, "a step was cut");
    });
}

#[test]
fn kills_nothing_when_distributed_processes_are_asked_to_stop() {
    run(slow(Mode::Distributed), async |world| {
        let job = start_bulk(world).await;
        half_way(world, &job).await;
        let mut worker = world.roles().workers.remove(0);
        worker.process.terminate();
        assert!(worker.process.ended(Duration::from_secs(35)).await.success(), "{}", worker.process.log());
        world.add_worker().await;
        assert_eq!(finished(world, &job).await, 0, "a step was cut");
        let mut roles = std::mem::take(&mut *world.roles());
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
    run(setup, async |world| {
        // Everything works before.
        let guild = world.guild();
        world.api().post("/interactions/sync", json!({ "user_id": guild.lacking().chat })).await.ok();
        broker.stop();
        let data = world.api().post(BULK, json!({})).await.ok();
        assert_eq!((&data["queued"], &data["members"]), (&json!(true), &json!(30)));
        // A caller that waits has its result without the broker.
        let api = world.api().header("prefer", "wait=20");
        let extra = json!({ "user_id": guild.with_extra().chat });
        api.post("/interactions/sync", extra).await.ok();
        let ended = world.job_ended(data["job_id"].as_str().unwrap()).await;
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(world.simulator.wrong(guild).await, 0);
        broker.start_again();
        world.wait_until_ready().await;
        let right = json!({ "user_id": guild.right().chat });
        let data = world.api().post("/interactions/sync", right).await.ok();
        assert_eq!(data["added_roles"], json!([]));
    });
}

#[test]
fn kills_redis_and_lookups_still_answer() {
    let redis = PrivateServer::start("redis", "redis-outage");
    let servers = Servers { redis: redis.url(), ..Servers::from_env() };
    let setup = Setup { servers: Some(servers), ..Setup::new(Mode::Distributed) };
    run(setup, async |world| {
        let (guild, api) = (world.guild(), world.api());
        let path = format!("/lookup/chat/{}", guild.members[0].chat);
        api.get(&path).await.ok();
        redis.kill();
        for _ in 0..5 {
            api.get(&path).await.ok();
        }
        // A key nobody has seen yet, and one that does not exist.
        api.key(&guild.game_key).get(&path).await.ok();
        api.key(&crate::harness::key_text(9, "none")).get(&path).await.refused(401, &[]);
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
        let ended = world.job_ended(data["job_id"].as_str().unwrap()).await;
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(world.simulator.wrong(guild).await, 0);
    });
}
