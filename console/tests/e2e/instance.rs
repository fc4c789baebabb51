//! The operator's pages, below `/console/instance`.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Deployment, Mode, both_modes, eventually, in_turn};

use testkit::console::Console;

both_modes!(
    a_class_is_paused_with_a_reason_and_resumed_by_undo(own),
    failed_jobs_are_retried_together_after_a_question(own),
    one_job_is_shown_retried_and_cancelled(own),
    a_schedule_is_run_paused_and_resumed(own),
    the_depth_of_a_queue_is_drawn_over_time(own),
);

in_turn!(
    only_operators_know_of_the_instance,
    every_page_of_the_instance_is_shown_to_an_operator,
    guilds_are_found_by_name_and_id,
);

const WAIT_LIMIT: Duration = Duration::from_secs(30);
const PAGES: [&str; 8] =
    ["", "/queues", "/jobs", "/pauses", "/schedules", "/platforms", "/limits", "/guilds"];

fn at(page: &str) -> String {
    format!("/console/instance{page}")
}

/// A sync of this member without a waiting caller; returns its job.
pub(super) async fn enqueue(deployment: &Deployment, chat: &str) -> String {
    let api = deployment.api().header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": chat })).await;
    assert_eq!(answer.status, 202, "{answer}");
    answer.body["data"]["job_id"].as_str().unwrap().to_owned()
}

/// The newest entry of an action in the guild's audit log.
async fn audited(deployment: &Deployment, action: &str) -> Value {
    deployment.audit(action).await[0].clone()
}

async fn only_operators_know_of_the_instance(deployment: &Deployment) {
    let admin = Console::owner(deployment).await;
    for page in PAGES {
        assert_eq!(admin.get(&at(page)).await.status, 404, "{page}");
    }
    let refused = admin.post(&at("/pauses"), &[("what", "bulk"), ("reason", "x")]).await;
    assert_eq!(refused.status, 404);
    assert!(!admin.get("/console/sessions").await.links().contains(&at("")));
    Console::new(deployment).get(&at("")).await.asks_to_sign_in();
}

async fn every_page_of_the_instance_is_shown_to_an_operator(deployment: &Deployment) {
    let operator = Console::operator(deployment).await;
    assert!(operator.get("/console/sessions").await.links().contains(&at("")));
    for page in PAGES {
        let shown = operator.get(&at(page)).await;
        assert_eq!(shown.status, 200, "{page}: {}", shown.text());
        assert!(PAGES.iter().all(|other| shown.links().contains(&at(other))), "{page}");
    }
    let overview = eventually("every process is known", WAIT_LIMIT, async || {
        let overview = operator.get(&at("")).await;
        overview.contains("slots: ").then_some(overview)
    })
    .await;
    for dependency in ["Database up", "Discord takes requests", "Roblox takes requests"] {
        overview.shows(200, dependency);
    }
    let (roles, scheduler): (&[_], _) = match deployment.mode() {
        Mode::Embedded => {
            (&["API, worker, scheduler slots: "], "is API, worker, scheduler and gateway in one process")
        }
        Mode::Distributed => {
            (&["API", "worker slots: ", "scheduler slots: maintenance "], "leads: it rescues")
        }
    };
    overview.shows(200, "alive").shows(200, scheduler);
    for role in roles {
        overview.shows(200, role);
    }
    operator.get(&at("/limits")).await.shows(200, "sync_all 1 1 h no").shows(200, "Live sockets");
    operator.get(&at("/platforms")).await.shows(200, "Discord").shows(200, " of 5,000");
    operator.get(&at("/jobs?guild=x")).await.shows(422, "digits only");
    for unknown in ["/jobs/00000000-0000-7000-8000-000000000000", "/jobs/x"] {
        assert_eq!(operator.get(&at(unknown)).await.status, 404, "{unknown}");
    }
}

async fn a_class_is_paused_with_a_reason_and_resumed_by_undo(deployment: &Deployment) {
    let (operator, guild) = (Console::operator(deployment).await, deployment.guild());
    eventually("the instance is well", WAIT_LIMIT, async || {
        operator.get(&at("")).await.contains("All is well").then_some(())
    })
    .await;
    operator.get(&at("/pauses")).await.shows(200, "Nothing is paused.");
    let refused = operator.post(&at("/pauses"), &[("what", "bulk"), ("reason", "")]).await;
    refused.shows(422, "Enter a reason of at most 500 characters");
    operator
        .post(&at("/pauses"), &[("what", "guild"), ("guild", "5"), ("reason", "x")])
        .await
        .shows(422, "no server");
    let bulk = [("what", "bulk"), ("reason", "Discord is <slow>")];
    let paused = operator.submit(&at("/pauses"), &bulk).await;
    paused.shows(200, "Jobs of class bulk are no longer started.").shows(200, "Discord is <slow>");
    operator.post(&at("/pauses"), &bulk).await.shows(422, "already paused");
    assert!(deployment.command(&["jobs", "list"]).await.succeeded().contains("Paused: class bulk "));
    operator.get(&at("/queues")).await.shows(200, "paused");
    assert!(
        paused.row("Discord is <slow>").contains("Ids of "),
        "the operator has a name: {}",
        paused.text()
    );
    let overview = operator.get(&at("")).await;
    assert_eq!(overview.link("1 class is paused"), at("/pauses"));
    let resumed = operator.undo(&paused).await;
    resumed.shows(200, "Jobs of class bulk are started again.").shows(200, "Nothing is paused.");
    operator.undo(&resumed).await.shows(200, "Discord is <slow>");

    let of_guild = [("what", "guild"), ("guild", guild.id.as_str()), ("reason", "too many syncs")];
    operator.submit(&at("/pauses"), &of_guild).await.shows(200, "too many syncs");
    let entry = audited(deployment, "jobs.pause").await;
    assert_eq!(entry["actor_id"], json!(guild.members[0].chat), "{entry}");
    assert_eq!(
        (&entry["metadata"]["by"], &entry["metadata"]["reason"]),
        (&json!("operator"), &json!("too many syncs"))
    );
    operator.submit(&at("/pauses/resume"), &of_guild[..2]).await.shows(200, "are started again");
}

async fn failed_jobs_are_retried_together_after_a_question(deployment: &Deployment) {
    let (operator, guild) = (Console::operator(deployment).await, deployment.guild());
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 400, "count": 1000 })).await;
    let mut failed = Vec::new();
    for member in guild.members.iter().filter(|member| member.held.is_empty()).take(3) {
        let job = enqueue(deployment, &member.chat).await;
        assert_eq!(deployment.job_ended(&job).await["state"], "failed");
        failed.push(job);
    }
    deployment.clear_faults().await;
    let list = operator.get(&at("/jobs?state=failed&kind=sync_member")).await;
    list.shows(200, "Retry all 3 jobs").shows(200, "Sync of one member");
    assert!(failed.iter().all(|job| list.contains(job)));
    let one = [("selected", "yes"), ("state", "failed"), ("job", failed[0].as_str())];
    let query = format!("/jobs/retry?selected=yes&state=failed&job={}", failed[0]);
    operator.get(&at(&query)).await.shows(200, "Retry 1 job?");
    operator.submit(&at("/jobs/retry"), &one).await.shows(200, "1 job is due now.");
    assert_eq!(deployment.job_ended(&failed[0]).await["state"], "succeeded");
    operator.get(&at("/jobs/retry?state=failed&kind=sync_member")).await.shows(200, "Retry 2 jobs?");
    let all = [("state", "failed"), ("kind", "sync_member")];
    operator.submit(&at("/jobs/retry"), &all).await.shows(200, "2 jobs are due now.");
    for job in &failed[1..] {
        assert_eq!(deployment.job_ended(job).await["state"], "succeeded");
    }
    let entry = audited(deployment, "jobs.retry").await;
    assert_eq!(entry["actor_id"], json!(guild.members[0].chat), "{entry}");
    operator.get(&at("/jobs/retry?selected=yes&state=failed")).await;
    operator.get(&at("/jobs?state=failed&kind=sync_member")).await.shows(200, "No job matches.");
    let dead = operator.get(&at("/jobs?state=dead")).await;
    dead.shows(200, "No dead jobs. Dead jobs appear here; retry them one by one or all together.");
}

async fn one_job_is_shown_retried_and_cancelled(deployment: &Deployment) {
    let (operator, guild) = (Console::operator(deployment).await, deployment.guild());
    operator.submit(&at("/pauses"), &[("what", "interactive"), ("reason", "a test")]).await;
    let id = enqueue(deployment, &guild.lacking().chat).await;
    let job = at(&format!("/jobs/{id}"));
    let shown = operator.get(&job).await;
    shown.shows(200, "Cancel this job").shows(200, "Sync of one member").shows(200, &guild.id);
    operator.post(&format!("{job}/retry"), &[]).await.shows(409, "can be retried");
    operator.submit(&format!("{job}/cancel"), &[]).await.shows(200, "The job is cancelled.");
    operator.post(&format!("{job}/cancel"), &[]).await.shows(409, "already cancelled");
    assert_eq!(deployment.job_ended(&id).await["state"], "cancelled");
    assert_eq!(audited(deployment, "jobs.cancel").await["target_id"], json!(id));
}

async fn a_schedule_is_run_paused_and_resumed(deployment: &Deployment) {
    let operator = Console::operator(deployment).await;
    let schedules = at("/schedules");
    eventually("a scheduler fires", WAIT_LIMIT, async || {
        operator
            .get(&schedules)
            .await
            .contains("deletes events of the change log after half an hour")
            .then_some(())
    })
    .await;
    let paused = operator.submit(&at("/schedules/change_log/pause"), &[]).await;
    paused.shows(200, "Change log no longer starts automatically.").shows(200, "paused");
    operator.submit(&at("/schedules/change_log/run"), &[]).await.shows(200, "Change log is queued.");
    operator.undo(&paused).await.shows(200, "Change log starts automatically again.");
    operator.get(&schedules).await.shows(200, "every 5 minutes");
    let jobs = operator.get(&at("/jobs")).await;
    assert!(!jobs.contains("Periodic: "), "{}", jobs.text());
    operator.get(&jobs.link("Show periodic tasks")).await.shows(200, "Periodic: Change log");
    assert_eq!(operator.post(&at("/schedules/nonsense/run"), &[]).await.status, 404);
}

async fn the_depth_of_a_queue_is_drawn_over_time(deployment: &Deployment) {
    let (operator, guild) = (Console::operator(deployment).await, deployment.guild());
    deployment.command(&["jobs", "pause", "interactive", "--reason", "a test"]).await.succeeded();
    operator.get(&at("/pauses")).await.shows(200, "command line").shows(200, "a test");
    enqueue(deployment, &guild.lacking().chat).await;
    operator.get(&at("/queues")).await.shows(200, "interactive");
    // The minute may have been measured before the job was enqueued.
    deployment.execute("DELETE FROM queue_sample").await;
    deployment.run_schedule("queue_samples").await;
    let charts = eventually("the minute is measured", WAIT_LIMIT, async || {
        let page = operator.get(&at("/queues?range=hour")).await;
        page.contains("Jobs waiting in interactive").then_some(page)
    })
    .await;
    charts.shows(200, "Age of the oldest in interactive").shows(200, "at most 1");
    assert!(charts.has("polyline") && !charts.has("[style]"), "{}", charts.html);
    operator.get(&at("/queues?range=month")).await.shows(200, "Jobs waiting in interactive");
}

async fn guilds_are_found_by_name_and_id(deployment: &Deployment) {
    let (operator, guild) = (Console::operator(deployment).await, deployment.guild());
    let found = operator.get(&at(&format!("/guilds?q={}", guild.id))).await;
    found.shows(200, &guild.id).shows(200, "Linked members");
    let form = operator.get(&found.link("Pause ")).await;
    form.has_typed("what", "guild").has_typed("guild", &guild.id);
    let form = operator.get(&operator.get(&at("/queues")).await.link("Pause bulk")).await;
    form.has_typed("what", "bulk");
    operator.get(&at("/guilds?q=no%25such_server")).await.shows(200, "No server has this id");
    let links = found.links();
    assert!(!links.iter().any(|link| link.starts_with("/console/guilds/")), "{links:?}");
}
