//! The one call an hour of `/interactions/sync/all` (docs/rules.md 3).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Deployment, JobRow, JobState, Mode, both_modes, eventually};

both_modes!(
    refusals_do_not_use_the_hour,
    without_a_token_a_run_is_refused(|setup| setup.env("GUILDHALL_CHAT_TOKEN", "")),
    a_run_that_ends_before_its_first_change_gives_the_hour_back(own),
    a_cancelled_run_gives_the_hour_back_unless_it_changed_something(|setup| setup
        .members(300)
        .latency_ms(200)),
    a_failed_run_whose_members_all_failed_in_part_uses_the_hour(own),
    a_run_that_is_cancelled_before_its_second_attempt_uses_the_hour,
    the_hour_survives_a_restart_and_names_its_job(own),
    one_of_many_concurrent_calls_is_accepted(|setup| setup.processes(2)),
    dry_runs_have_a_limit_of_their_own,
    a_retried_run_needs_the_hour(own),
    the_command_line_uses_the_same_hour,
);

const PATH: &str = "/interactions/sync/all";
const UPDATE: &str = "PATCH /guilds/:guild/members/:user";
const HOUR: u64 = 3_600;

async fn accepted(deployment: &Deployment, options: Value) -> String {
    let answer = deployment.api().post(PATH, options).await;
    assert_eq!(answer.number("x-ratelimit-remaining"), 0, "{answer}");
    answer.ok()["job_id"].as_str().unwrap().to_owned()
}

/// Asserts that a call is answered 429 with this job and the rest of the hour in `Retry-After`.
async fn used_by(deployment: &Deployment, job: &str) {
    let answer = deployment.api().post(PATH, json!({})).await.refused(429, &["rate limit exceeded", job]);
    assert_eq!(answer.body["job_id"], job, "{answer}");
    assert!((HOUR - 100..=HOUR).contains(&answer.number("retry-after")), "{answer}");
    assert_eq!(answer.number("retry-after"), answer.number("x-ratelimit-reset-after"), "{answer}");
    assert_eq!((answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining")), (1, 0));
}

async fn refusals_do_not_use_the_hour(deployment: &Deployment) {
    let api = deployment.api();
    api.post(PATH, json!({ "max_removals": "x" })).await.refused(400, &["max_removals"]);
    api.post(PATH, json!({ "guild_id": deployment.other_guild().id })).await.refused(403, &[]);
    for (status, code, error) in [(500, 503, "platform_unavailable"), (401, 502, "platform_unauthorized")] {
        deployment.fault(json!({ "route": "*", "status": status, "count": 1000 })).await;
        let answer = api.post(PATH, json!({})).await.refused(code, &[]);
        assert_eq!(answer.error(), error, "{answer}");
        assert!(answer.number("retry-after") >= 1, "{answer}");
        assert_eq!(answer.number("x-ratelimit-remaining"), 1, "{answer}");
        deployment.clear_faults().await;
    }
    // A guild without the bot.
    let stranger = "7999999999999999999";
    deployment.command(&["guilds", "add", stranger, "--name", "elsewhere"]).await.succeeded();
    let args = ["keys", "create", "--guild", stranger, "--name", "n", "--owner", "1"];
    let key = deployment.command(&args).await.succeeded();
    let answer = api.key(key.trim()).post(PATH, json!({})).await.refused(503, &["is it a member"]);
    assert_eq!(answer.error(), "guild_not_reached", "{answer}");

    assert_eq!(deployment.job_rows("sync_all").await.len(), 0);
    // A key that may not run it sees the same hour.
    let play = api.key(&deployment.new_key("play").await);
    let left = async || {
        let other = play.post(PATH, json!({})).await.refused(403, &[]);
        (other.number("x-ratelimit-limit"), other.number("x-ratelimit-remaining"))
    };
    assert_eq!(left().await, (1, 1));
    let job = accepted(deployment, json!({})).await;
    assert_eq!(left().await, (1, 0));
    assert_eq!(deployment.job_ended(&job).await["state"], "succeeded");
}

async fn without_a_token_a_run_is_refused(deployment: &Deployment) {
    for options in [json!({}), json!({ "dry_run": true })] {
        let answer = deployment.api().post(PATH, options).await.refused(503, &["GUILDHALL_CHAT_TOKEN"]);
        assert_eq!(answer.error(), "platform_not_configured", "{answer}");
    }
    assert_eq!(deployment.job_rows("sync_all").await.len(), 0);
}

async fn a_run_that_ends_before_its_first_change_gives_the_hour_back(deployment: &Deployment) {
    let job = accepted(deployment, json!({ "max_removals": 0 })).await;
    assert_eq!(deployment.job_ended(&job).await["error"]["error"], "too_many_removals");
    // A plan that the platform refuses.
    let route = "GET /guilds/:guild/members";
    deployment.fault(json!({ "route": route, "status": 403, "count": 1000 })).await;
    let job = accepted(deployment, json!({})).await;
    assert_eq!(deployment.job_ended(&job).await["state"], "failed");
    deployment.clear_faults().await;
    // A successful run uses the hour, with or without changes.
    let job = accepted(deployment, json!({})).await;
    assert_eq!(deployment.job_ended(&job).await["state"], "succeeded");
    used_by(deployment, &job).await;
    deployment.forget_quotas().await;
    let job = accepted(deployment, json!({})).await;
    assert_eq!(deployment.job_ended(&job).await["result"]["updated"], 0);
    used_by(deployment, &job).await;
}

async fn a_cancelled_run_gives_the_hour_back_unless_it_changed_something(deployment: &Deployment) {
    let first = accepted(deployment, json!({})).await;
    used_by(deployment, &first).await;
    deployment.api().delete(&format!("/jobs/{first}")).await.ok();
    assert_eq!(deployment.job_ended(&first).await["state"], "cancelled");
    assert_eq!(deployment.member_updates().await, 0);

    let second = accepted(deployment, json!({})).await;
    eventually("members are being changed", Duration::from_secs(20), async || {
        (deployment.member_updates().await >= 5).then_some(())
    })
    .await;
    deployment.api().delete(&format!("/jobs/{second}")).await.ok();
    assert_eq!(deployment.job_ended(&second).await["state"], "cancelled");
    used_by(deployment, &second).await;
}

async fn a_failed_run_whose_members_all_failed_in_part_uses_the_hour(deployment: &Deployment) {
    let guild = deployment.guild();
    let first = accepted(deployment, json!({})).await;
    deployment.job_ended(&first).await;
    deployment.forget_quotas().await;
    for member in guild.members.iter().filter(|member| member.rank < 255).take(3) {
        let wrong = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": [], "nick": "old" });
        deployment.simulator.change_member(wrong).await;
    }
    // Each of the three gets the role, and is refused the nickname.
    deployment.fault(json!({ "route": UPDATE, "status": 403, "count": 1000 })).await;
    let job = accepted(deployment, json!({})).await;
    let ended = deployment.job_ended(&job).await;
    assert_eq!((&ended["state"], &ended["result"]["updated"]), (&json!("failed"), &json!(0)), "{ended}");
    assert!(ended["result"]["writes"].as_i64().unwrap() >= 1, "{ended}");
    used_by(deployment, &job).await;
}

async fn a_run_that_is_cancelled_before_its_second_attempt_uses_the_hour(deployment: &Deployment) {
    // Nicknames are set; roles are not, for an outage.
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 500, "count": 1000 })).await;
    let job = accepted(deployment, json!({})).await;
    eventually("the chunk waits for its next attempt", Duration::from_secs(20), async || {
        let chunks = deployment.job_rows("sync_chunk").await;
        let waits = |row: &JobRow| row.state == JobState::Queued && row.attempt >= 2;
        (chunks.len() == 1 && waits(&chunks[0])).then_some(())
    })
    .await;
    assert!(deployment.member_updates().await > 0);
    deployment.api().delete(&format!("/jobs/{job}")).await.ok();
    let ended = deployment.job_ended(&job).await;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    assert!(ended["result"]["writes"].as_i64().unwrap() >= 1, "{ended}");
    used_by(deployment, &job).await;
}

async fn the_hour_survives_a_restart_and_names_its_job(deployment: &Deployment) {
    let job = accepted(deployment, json!({})).await;
    deployment.job_ended(&job).await;
    if deployment.mode() == Mode::Embedded {
        deployment.restart_serve(async |serve| serve.kill()).await;
    } else {
        // The limit does not depend on Redis.
        deployment.forget_shared_windows().await;
    }
    used_by(deployment, &job).await;
    let hour_ago = runtime::Clock::system().now() - chrono::TimeDelta::hours(1);
    let hour_ago = hour_ago.to_rfc3339_opts(chrono::SecondsFormat::Micros, false);
    deployment.execute(&format!("UPDATE bulk_sync SET opened_at = '{hour_ago}'")).await;
    accepted(deployment, json!({})).await;
}

async fn one_of_many_concurrent_calls_is_accepted(deployment: &Deployment) {
    let processes = if deployment.mode() == Mode::Embedded { 1 } else { 2 };
    let calls = (0..12).map(|n| {
        let api = deployment.api_number(n % processes);
        async move { api.post(PATH, json!({})).await }
    });
    let answers = futures_util::future::join_all(calls).await;
    let (taken, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((taken.len(), refused.len()), (1, 11), "{taken:?}");
    let job = taken[0].body["data"]["job_id"].clone();
    for answer in refused {
        assert_eq!(answer.refused(429, &[]).body["job_id"], job);
    }
    assert_eq!(deployment.job_rows("sync_all").await.len(), 1);
}

async fn dry_runs_have_a_limit_of_their_own(deployment: &Deployment) {
    let dry_run = async || deployment.api().post(PATH, json!({ "dry_run": true })).await;
    let mut last = Value::Null;
    for left in (0..6).rev() {
        let answer = dry_run().await;
        assert_eq!(answer.header("x-ratelimit-bucket"), Some("sync_all_dry_run"), "{answer}");
        assert_eq!((answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining")), (6, left));
        last = answer.ok()["job_id"].clone();
        assert_eq!(deployment.job_ended(last.as_str().unwrap()).await["state"], "succeeded");
    }
    let answer = dry_run().await.refused(429, &["six dry runs"]);
    assert_eq!(answer.body["job_id"], last, "{answer}");
    assert!((HOUR - 100..=HOUR).contains(&answer.number("retry-after")), "{answer}");
    assert_eq!(deployment.member_updates().await, 0);
    accepted(deployment, json!({})).await;
}

async fn a_retried_run_needs_the_hour(deployment: &Deployment) {
    let retry = async |job: &str| deployment.api().post(&format!("/jobs/{job}/retry"), json!({})).await;
    let stopped = accepted(deployment, json!({ "max_removals": 0 })).await;
    deployment.job_ended(&stopped).await;
    // A retried run takes the hour, and gives it back if it is stopped again.
    retry(&stopped).await.ok();
    assert_eq!(deployment.job_ended(&stopped).await["error"]["error"], "too_many_removals");
    deployment.command(&["jobs", "retry", &stopped]).await.succeeded();
    assert_eq!(deployment.job_ended(&stopped).await["state"], "failed");
    // A retry is refused like a call while the platform is unreachable.
    deployment.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    retry(&stopped).await.refused(503, &[]);
    deployment.clear_faults().await;
    // Another run has used the hour.
    let other = accepted(deployment, json!({})).await;
    deployment.job_ended(&other).await;
    let answer = retry(&stopped).await.refused(429, &[&other]);
    assert_eq!(answer.body["job_id"], other, "{answer}");
    let output = deployment.command(&["jobs", "retry", &stopped]).await.refused();
    assert!(output.contains(&other) && output.contains("min"), "{output}");
    // No removals are left, so the retried run succeeds.
    deployment.forget_quotas().await;
    retry(&stopped).await.ok();
    assert_eq!(deployment.job_ended(&stopped).await["state"], "succeeded");
    used_by(deployment, &stopped).await;
}

async fn the_command_line_uses_the_same_hour(deployment: &Deployment) {
    let guild = deployment.guild().id.clone();
    let sync = async |more: &[&str]| {
        let args: Vec<&str> = ["sync", "--guild", &guild].into_iter().chain(more.iter().copied()).collect();
        deployment.command(&args).await
    };
    let output = sync(&["--dry-run"]).await.succeeded();
    let job = output.split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(deployment.job_ended(&job).await["result"]["dry_run"], true);
    let output = sync(&["--max-removals", "1000"]).await.succeeded();
    let job = output.split_whitespace().nth(1).unwrap().to_owned();
    assert!(output.contains("30 members"), "{output}");
    assert_eq!(deployment.job_ended(&job).await["state"], "succeeded");
    assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
    used_by(deployment, &job).await;
    let output = sync(&[]).await.refused();
    assert!(output.contains(&job) && output.contains("60 min") || output.contains("59 min"), "{output}");
    assert_eq!(deployment.audit("sync.all_requested").await.len(), 2);
    let unknown = deployment.command(&["sync", "--guild", "17"]).await.refused();
    assert!(unknown.contains("guilds add"), "{unknown}");
    deployment.api().send(Method::POST, PATH, None).await.refused(429, &[]);
}
