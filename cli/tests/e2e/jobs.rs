//! `/jobs/:jobId` and `/guilds/:guildId/jobs` (docs/rules.md 5).

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, both_modes, eventually};

both_modes!(
    a_job_is_shown_with_its_progress_and_result,
    jobs_are_listed_newest_first,
    a_job_can_be_cancelled_once,
    another_guilds_job_is_answered_as_an_unknown_one,
    a_failed_job_can_be_retried,
    changing_a_job_needs_the_scope_of_its_kind,
    a_running_bulk_job_shows_its_progress_and_estimate(|setup| setup.members(600).latency_ms(250)),
);

const WAIT_LIMIT: Duration = Duration::from_secs(30);

async fn enqueue(deployment: &Deployment, chat: &str) -> String {
    let answer = deployment
        .api()
        .header("prefer", "respond-async")
        .post("/interactions/sync", json!({ "user_id": chat }))
        .await;
    assert_eq!(answer.status, 202, "{answer}");
    answer.body["data"]["job_id"].as_str().unwrap().to_owned()
}

async fn a_job_is_shown_with_its_progress_and_result(deployment: &Deployment) {
    let member = deployment.guild().lacking();
    let id = enqueue(deployment, &member.chat).await;
    let job = deployment.job_ended(&id).await;
    assert_eq!(
        (&job["id"], &job["kind"], &job["state"]),
        (&json!(id), &json!("sync_member"), &json!("succeeded"))
    );
    for field in ["done", "total", "failed"] {
        assert!(job["progress"][field].is_u64(), "{field}: {job}");
    }
    assert!(job["progress"].as_object().unwrap().contains_key("eta_seconds"), "{job}");
    assert!(
        job["created_at"].is_string() && job["started_at"].is_string() && job["finished_at"].is_string(),
        "{job}"
    );
    assert_eq!((&job["error"], &job["result"]["added_roles"]), (&Value::Null, &json!([member.wanted])));

    let gone = &deployment.guild().members[4].chat;
    let left = json!({ "guild_id": deployment.guild().id, "chat_id": gone, "remove": true });
    deployment.simulator.change_member(left).await;
    let failing = enqueue(deployment, gone).await;
    let job = deployment.job_ended(&failing).await;
    assert_eq!((&job["state"], &job["result"]), (&json!("failed"), &Value::Null), "{job}");
    assert!(job["error"]["message"].is_string() && job["error"]["error"].is_string(), "{job}");
    for unknown in ["00000000-0000-7000-8000-000000000000", "nonsense"] {
        let answer = deployment.api().get(&format!("/jobs/{unknown}")).await;
        assert!(matches!(answer.status, 400 | 404), "{answer}");
    }
}

async fn jobs_are_listed_newest_first(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut ids = Vec::new();
    for member in &guild.members[..5] {
        ids.push(enqueue(deployment, &member.chat).await);
    }
    ids.reverse();
    let path = format!("/guilds/{}/jobs", guild.id);
    let of = |page: &Value| -> Vec<String> {
        page["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
    };
    let page = api.get(&format!("{path}?limit=2")).await.ok();
    assert_eq!((of(&page), &page["next_cursor"]), (ids[..2].to_vec(), &json!(ids[1])));
    let page = api.get(&format!("{path}?limit=3&cursor={}", ids[1])).await.ok();
    assert_eq!((of(&page), &page["next_cursor"]), (ids[2..].to_vec(), &Value::Null));
    api.get(&format!("{path}?limit=0")).await.refused(400, &["limit"]);
    api.get(&format!("{path}?cursor=x")).await.refused(400, &["cursor"]);
    let other = deployment.other_guild();
    let theirs = api.key(&other.admin_key).get(&format!("/guilds/{}/jobs", other.id)).await.ok();
    assert_eq!(theirs["jobs"], json!([]));
}

async fn a_job_can_be_cancelled_once(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    // A platform that answers with errors keeps the job in its backoff.
    deployment.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    let id = enqueue(deployment, &guild.lacking().chat).await;
    api.delete(&format!("/jobs/{id}")).await.ok();
    let job = deployment.job_ended(&id).await;
    assert_eq!(job["state"], "cancelled", "{job}");
    api.delete(&format!("/jobs/{id}")).await.refused(409, &[]);
    deployment.clear_faults().await;
    assert_eq!(deployment.member_updates().await, 0);
    assert_eq!(deployment.audit("jobs.cancel").await[0]["target_id"], id.as_str());
}

async fn another_guilds_job_is_answered_as_an_unknown_one(deployment: &Deployment) {
    let id = enqueue(deployment, &deployment.guild().lacking().chat).await;
    let their_api = deployment.api().key(&deployment.other_guild().admin_key);
    let unknown = "01900000-0000-7000-8000-000000000000";
    let foreign = their_api.get(&format!("/jobs/{id}")).await.refused(404, &[]);
    let none = their_api.get(&format!("/jobs/{unknown}")).await.refused(404, &[]);
    assert_eq!(foreign.without_request_id(), none.without_request_id());
    let foreign = their_api.delete(&format!("/jobs/{id}")).await.refused(404, &[]);
    let none = their_api.delete(&format!("/jobs/{unknown}")).await.refused(404, &[]);
    assert_eq!(foreign.without_request_id(), none.without_request_id());
    assert_eq!(deployment.job_ended(&id).await["state"], "succeeded");
}

async fn a_failed_job_can_be_retried(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = guild.lacking();
    let change = |change: Value| {
        let mut body = json!({ "guild_id": guild.id, "chat_id": member.chat });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    deployment.simulator.change_member(change(json!({ "remove": true }))).await;
    let id = enqueue(deployment, &member.chat).await;
    assert_eq!(deployment.job_ended(&id).await["error"]["error"], "not_a_member");
    deployment.simulator.change_member(change(json!({ "roles": [] }))).await;
    let queued = api.post(&format!("/jobs/{id}/retry"), json!({})).await.ok();
    assert_eq!((&queued["id"], &queued["state"]), (&json!(id), &json!("queued")));
    let job = deployment.job_ended(&id).await;
    assert_eq!((&job["state"], &job["error"]), (&json!("succeeded"), &Value::Null), "{job}");
    assert_eq!(job["result"]["added_roles"], json!([member.wanted]));
    api.post(&format!("/jobs/{id}/retry"), json!({})).await.refused(409, &[]);
    assert_eq!(deployment.audit("jobs.retry").await[0]["target_id"], id.as_str());
    let theirs =
        api.key(&deployment.other_guild().admin_key).post(&format!("/jobs/{id}/retry"), json!({})).await;
    theirs.refused(404, &[]);
}

async fn changing_a_job_needs_the_scope_of_its_kind(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let of_kind = async |kind: &str| {
        let jobs = api.get(&format!("/guilds/{}/jobs?kind={kind}", guild.id)).await.ok();
        jobs["jobs"][0]["id"].as_str().unwrap_or_else(|| panic!("{jobs}")).to_owned()
    };
    // A platform that answers with errors keeps every job unfinished.
    deployment.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    let ban = json!({ "identifier": guild.members[20].chat, "reason": "r", "moderator_id": "1" });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    enqueue(deployment, &guild.lacking().chat).await;
    let syncs = deployment.api().key(&deployment.new_key("read,sync").await);
    let moderates = deployment.api().key(&deployment.new_key("moderation").await);
    for (kind, lacks, has, scope) in
        [("mirror_ban", &syncs, &moderates, "`moderation`"), ("sync_member", &moderates, &syncs, "`sync`")]
    {
        let path = format!("/jobs/{}", of_kind(kind).await);
        lacks.delete(&path).await.refused(403, &[scope]);
        lacks.post(&format!("{path}/retry"), json!({})).await.refused(403, &[scope]);
        let cancelled = has.delete(&path).await;
        assert_eq!(cancelled.status, 200, "{cancelled}");
        // The scope suffices; the job's state forbids the change.
        has.post(&format!("{path}/retry"), json!({})).await.refused(409, &[]);
    }
}

async fn a_running_bulk_job_shows_its_progress_and_estimate(deployment: &Deployment) {
    let guild = deployment.guild();
    let data = deployment.api().post("/interactions/sync/all", json!({})).await.ok();
    let job = data["job_id"].as_str().unwrap();
    let list = eventually("the bulk job is listed with an estimate", WAIT_LIMIT, async || {
        let list = deployment.command(&["jobs", "list", "--guild", &guild.id]).await.succeeded();
        let under_way = list.split("\n\n").find(|part| part.starts_with("GUILD "))?;
        let line = under_way.lines().find(|line| line.contains(job)).unwrap_or_else(|| panic!("{list}"));
        assert!(line.starts_with(&guild.id), "{line}");
        (line.contains("/600 (") && line.ends_with(" s")).then_some(list)
    })
    .await;
    let show = deployment.command(&["jobs", "show", job]).await.succeeded();
    assert!(show.contains(" of 600 done") && show.contains("ready in "), "{show} after {list}");
    assert_eq!(deployment.job_ended(job).await["state"], "succeeded");
    let list = deployment.command(&["jobs", "list", "--kind", "sync_all"]).await.succeeded();
    assert!(!list.contains("BULK JOB") && list.contains(job), "{list}");
    let output = deployment.command(&["jobs", "list", "--kind", "no_such_kind"]).await;
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.stderr.contains("kinds are sync_member, staff_by_role, greet_member, catch_up"),
        "{output:?}"
    );
    let path = format!("/guilds/{}/jobs?kind=no_such_kind", guild.id);
    deployment.api().get(&path).await.refused(400, &["kind", "sync_all"]);
}
