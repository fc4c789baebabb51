//! One request's id leads from the line of the API to those of its job (docs/operations.md 4).

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, Setup, both_modes, eventually};

both_modes!(
    one_id_is_followed_from_a_request_to_its_job(super::followed),
    each_attempt_that_fails_is_a_line(super::followed),
    the_story_of_a_bulk_sync_is_under_one_id(super::followed),
);

fn followed(setup: Setup) -> Setup {
    setup.env("GUILDHALL_ACCESS_LOG", "all").env("GUILDHALL_LOG_FORMAT", "json")
}

const REQUEST: &str = "followed-request-1";
const AGAIN: &str = "followed-request-2";
const WITHIN: Duration = Duration::from_secs(10);

async fn one_id_is_followed_from_a_request_to_its_job(deployment: &Deployment) {
    let guild = deployment.guild();
    let gone = &guild.members[4].chat;
    let left = json!({ "guild_id": guild.id, "chat_id": gone, "remove": true });
    deployment.simulator.change_member(left).await;
    let api = deployment.api().header("x-request-id", REQUEST).header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": gone })).await;
    let job = answer.body["data"]["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    assert_eq!(deployment.job_ended(&job).await["state"], "failed");

    let answered = line(deployment, "api", "request answered").await;
    assert_eq!(
        (&answered["http.method"], &answered["http.route"], &answered["status"]),
        (&json!("POST"), &json!("/interactions/sync"), &json!(202)),
        "{answered}"
    );
    assert_eq!(answered["job.id"], json!(job), "{answered}");
    let failed = line(deployment, "worker", "a job failed").await;
    assert_eq!(
        (&failed["level"], &failed["error"], failed["reason"].is_string()),
        (&json!("INFO"), &json!("not_a_member"), true),
        "nobody has to mend it: {failed}"
    );
    assert_eq!(
        (&failed["job.id"], &failed["job.kind"], &failed["job.attempt"]),
        (&json!(job), &json!("sync_member"), &json!(1)),
        "{failed}"
    );
    for line in [answered, failed] {
        assert_eq!(line["guild.id"].to_string(), guild.id, "{line}");
    }
}

async fn each_attempt_that_fails_is_a_line(deployment: &Deployment) {
    let route = "PATCH /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": route, "status": 500, "count": 1 })).await;
    let api = deployment.api().header("x-request-id", AGAIN).header("prefer", "respond-async");
    let user = &deployment.guild().misnamed().chat;
    let job = api.post("/interactions/sync", json!({ "user_id": user })).await.body["data"]["job_id"].clone();
    assert_eq!(deployment.job_ended(job.as_str().unwrap()).await["state"], "succeeded");
    let failed = line_of(deployment, AGAIN, "worker", "an attempt failed").await;
    assert_eq!(
        (&failed["job.id"], &failed["job.attempt"], &failed["level"], failed["again_in_s"].is_u64()),
        (&job, &json!(1), &json!("WARN"), true),
        "{failed}"
    );
}

async fn the_story_of_a_bulk_sync_is_under_one_id(deployment: &Deployment) {
    let api = deployment.api().header("x-request-id", REQUEST);
    let job = api.post("/interactions/sync/all", json!({})).await.ok()["job_id"].clone();
    assert_eq!(deployment.job_ended(job.as_str().unwrap()).await["state"], "succeeded");
    for (role, message) in [("api", "request answered"), ("worker", "planned"), ("worker", "bulk job ended")]
    {
        let line = line(deployment, role, message).await;
        assert_eq!(line["job.id"], job, "{line}");
    }
}

/// The line with the request's id and this message, in the log of the process of a role.
async fn line(deployment: &Deployment, role: &str, message: &str) -> Value {
    line_of(deployment, REQUEST, role, message).await
}

async fn line_of(deployment: &Deployment, request: &str, role: &str, message: &str) -> Value {
    let what = format!("the log of the {role} has the request's id in a line `{message}`");
    let line = eventually(&what, WITHIN, async || {
        let roles = deployment.roles();
        // Embedded, `serve` is both.
        let running = if role == "worker" { roles.workers.first() } else { None };
        let log = running.unwrap_or(&roles.apis[0]).process.log();
        log.lines().find(|line| line.contains(request) && line.contains(message)).map(str::to_owned)
    })
    .await;
    for field in ["request.id", "guild.id"] {
        assert_eq!(line.matches(&format!("\"{field}\":")).count(), 1, "{field}: {line}");
    }
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["request.id"], request, "{line}");
    line
}
